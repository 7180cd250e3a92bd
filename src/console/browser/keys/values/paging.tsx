import { useEffect, useState } from 'preact/hooks';
import { get, type Query } from '../../api.js';
import { t } from '../../i18n.js';
import { Form, TextInput } from '../../ui/inputs.js';
import { tellError } from '../../ui/notices.js';

interface Paged<Page> {
  readonly page: Page | undefined;
  readonly failure: Error | undefined;
  /** Shows the page that begins there. */
  next(cursor: string): void;
  /** Back to the page before. */
  previous(): void;
  readonly hasPrevious: boolean;
  reload(): void;
}

/** Pages of a value, with the way back. Begins again when the query changes. */
export function usePaged<Page>(query: Query, cursorName: string): Paged<Page> {
  const [page, setPage] = useState<Page>();
  const [failure, setFailure] = useState<Error>();
  const [way, setWay] = useState<readonly (string | undefined)[]>([undefined]);
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify(query);
  useEffect(() => setWay([undefined]), [key]);
  const cursor = way.at(-1);
  useEffect(() => {
    const leaving = new AbortController();
    get<Page>('keys/page', { ...query, [cursorName]: cursor }, leaving.signal).then(
      (loaded) => {
        setPage(loaded);
        setFailure(undefined);
      },
      (error: Error) => {
        if (leaving.signal.aborted) return;
        setFailure(error);
        tellError(error);
      },
    );
    return () => leaving.abort();
  }, [key, cursor, turn]);
  return {
    page,
    failure,
    next: (following) => setWay([...way, following]),
    previous: () => setWay(way.slice(0, -1)),
    hasPrevious: way.length > 1,
    reload: () => setTurn((before) => before + 1),
  };
}

interface PagerProps {
  readonly paged: Pick<Paged<unknown>, 'next' | 'previous' | 'hasPrevious'>;
  /** Where the next page begins; null at the end. */
  readonly cursor: string | null;
}

export function Pager({ paged, cursor }: PagerProps) {
  if (cursor === null && !paged.hasPrevious) return null;
  return (
    <div class="row">
      <button type="button" disabled={!paged.hasPrevious} onClick={paged.previous}>
        {t('Previous')}
      </button>
      <button type="button" disabled={cursor === null} onClick={() => cursor !== null && paged.next(cursor)}>
        {t('Next')}
      </button>
    </div>
  );
}

/** A filter of members or fields: it is applied with Enter. */
export function MemberFilter({ label, apply }: { readonly label: string; apply(pattern: string): void }) {
  const [text, setText] = useState('');
  return (
    <Form class="row" submit={() => apply(text === '' || /[*?[]/.test(text) ? text : `*${text}*`)}>
      <TextInput label={label} value={text} set={setText} />
      <button type="submit">{t('Filter')}</button>
    </Form>
  );
}
