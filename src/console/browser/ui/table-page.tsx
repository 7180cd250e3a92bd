import type { ComponentChildren } from 'preact';
import { t } from '../i18n.js';
import { TextInput } from './inputs.js';
import { Failure, PageHead, Table, type TableProps } from './layout.js';
import type { Loaded } from './use.js';

interface LoadedHeadProps {
  readonly title: string;
  readonly loaded: Pick<Loaded<unknown>, 'failure' | 'reload'>;
  /** Actions before the button that loads again. */
  readonly children?: ComponentChildren;
}

/** The heading of a page that was loaded, with a button to load it again, and why it could not be loaded. */
export function LoadedHead({ title, loaded: { failure, reload }, children }: LoadedHeadProps) {
  return (
    <>
      <PageHead title={title}>
        {children}
        <button type="button" onClick={reload}>
          {t('Reload')}
        </button>
      </PageHead>
      <Failure error={failure} retry={reload} />
    </>
  );
}

interface TablePageProps<Row> extends Omit<TableProps<Row>, 'label'>, LoadedHeadProps {
  readonly filter?: { readonly text: string; set(text: string): void };
  /** A line above the table. */
  readonly note?: string;
}

/** A page that is one table. */
export function TablePage<Row>({ title, loaded, children, filter, note, ...table }: TablePageProps<Row>) {
  return (
    <>
      <LoadedHead title={title} loaded={loaded}>
        {filter !== undefined && <TextInput label={t('Filter')} value={filter.text} set={filter.set} />}
        {children}
      </LoadedHead>
      <div class="panel">
        {note !== undefined && <p class="dim">{note}</p>}
        <Table label={title} {...table} />
      </div>
    </>
  );
}
