import { useEffect, useRef, useState } from 'preact/hooks';
import type { ScanProgress } from '../../types/keys.js';
import { stream, type WireBytes } from '../api.js';
import { count, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { bytesIn, hrefTo, navigate } from '../router.js';
import { Form } from '../ui/inputs.js';
import { PageHead } from '../ui/layout.js';
import { tellError } from '../ui/notices.js';
import { FolderView } from './folder-view.js';
import { ImportDialog } from './import-dialog.js';
import { KeyView } from './key-view.js';
import { NewKeyDialog } from './new-key.js';
import { idOf, KeyTree, MAX_KEPT } from './tree.js';
import { type Selection, TreeView } from './tree-view.js';

const TYPES = ['string', 'hash', 'list', 'set', 'zset', 'stream'];
const BATCH = 10_000;

interface Filter {
  readonly match: string;
  readonly type: string;
  readonly separator: string;
}

/** The pattern of SCAN for what a person typed: without a wildcard it is searched anywhere in the name. */
const patternOf = (text: string): string =>
  text === '' || /[*?[]/.test(text) ? text : `*${text.replace(/\\/g, '\\\\')}*`;

/** All keys as a tree, and the selected one beside it. */
export default function Keys({ route, session }: PageProps) {
  const [filter, setFilter] = useState<Filter>({
    match: route.query.get('match') ?? '',
    type: '',
    separator: ':',
  });
  const scan = useScan(filter);
  const [folder, setFolder] = useState<string>();
  const [dialog, setDialog] = useState<'new' | 'import'>();
  const key = bytesIn(route.query, 'key');
  const select = (selection: Selection): void => {
    setFolder(selection.kind === 'folder' ? selection.path : undefined);
    navigate(selection.kind === 'key' ? hrefTo('keys', { key: selection.key }) : hrefTo('keys'));
  };
  const forget = (gone: readonly WireBytes[]): void => {
    scan.tree.remove(gone);
    scan.changed();
    setFolder(undefined);
    navigate(hrefTo('keys'));
  };
  const add = (added: WireBytes): void => {
    scan.tree.add(added);
    scan.changed();
    select({ kind: 'key', key: added });
  };
  const selected =
    key !== undefined ? `key ${idOf(key)}` : folder === undefined ? undefined : `folder ${folder}`;
  return (
    <>
      <PageHead title={t('Keys')}>
        {!session.readOnly && (
          <>
            <button type="button" onClick={() => setDialog('import')}>
              {t('Import')}
            </button>
            <button type="button" class="main" onClick={() => setDialog('new')}>
              {t('New key')}
            </button>
          </>
        )}
      </PageHead>
      <div class={selected === undefined ? 'split' : 'split has-detail'}>
        <div class="panel list-side">
          <FilterForm filter={filter} apply={setFilter} />
          <ScanBar scan={scan} />
          {scan.isEmpty ? (
            <p class="empty">{t('No keys.')}</p>
          ) : (
            <TreeView tree={scan.tree} version={scan.version} selected={selected} select={select} />
          )}
        </div>
        <div class="detail-side">
          {selected !== undefined && (
            <button
              type="button"
              class="back"
              onClick={() => {
                setFolder(undefined);
                navigate(hrefTo('keys'));
              }}
            >
              ← {t('All keys')}
            </button>
          )}
          {key !== undefined ? (
            <KeyView
              key={selected}
              name={key}
              isReadOnly={session.readOnly}
              gone={() => forget([key])}
              renamed={(to) => {
                scan.tree.remove([key]);
                add(to);
              }}
            />
          ) : folder !== undefined ? (
            <FolderView tree={scan.tree} path={folder} isReadOnly={session.readOnly} gone={forget} />
          ) : (
            <p class="empty">{t('Choose a key to see and edit its value.')}</p>
          )}
        </div>
      </div>
      {dialog === 'new' && <NewKeyDialog close={() => setDialog(undefined)} created={add} />}
      {dialog === 'import' && <ImportDialog close={() => setDialog(undefined)} imported={scan.restart} />}
    </>
  );
}

function FilterForm({ filter, apply }: { readonly filter: Filter; apply(filter: Filter): void }) {
  const [match, setMatch] = useState(filter.match);
  return (
    <Form class="row filter" submit={() => apply({ ...filter, match })}>
      <label class="grow">
        {t('Name or pattern')}
        <input
          value={match}
          placeholder="user:*"
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setMatch(event.currentTarget.value)}
        />
      </label>
      <label>
        {t('Type')}
        <select
          value={filter.type}
          onChange={(event) => apply({ ...filter, match, type: event.currentTarget.value })}
        >
          <option value="">{t('all')}</option>
          {TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </label>
      <label class="narrow">
        {t('Separator')}
        <input
          value={filter.separator}
          maxLength={8}
          onChange={(event) => apply({ ...filter, match, separator: event.currentTarget.value })}
        />
      </label>
      <button type="submit">{t('Search')}</button>
    </Form>
  );
}

interface Scan {
  readonly tree: KeyTree;
  readonly version: number;
  readonly progress: ScanProgress | undefined;
  readonly isRunning: boolean;
  readonly isBrisk: boolean;
  /** Whether all keys were looked through, and there is none. */
  readonly isEmpty: boolean;
  stop(): void;
  more(): void;
  /** Goes on from here, and takes more of the server's time. */
  hurry(): void;
  restart(): void;
  /** Call it after the tree was changed. */
  changed(): void;
}

/** Looks through the keys until a batch is found; more on request. Begins again when the filter changes. */
function useScan({ match, type, separator }: Filter): Scan {
  const [state, setState] = useState<{
    tree: KeyTree;
    progress?: ScanProgress;
    isRunning: boolean;
    isBrisk: boolean;
  }>(() => ({ tree: new KeyTree(separator), isRunning: true, isBrisk: false }));
  const [version, setVersion] = useState(0);
  const [turn, setTurn] = useState(0);
  const running = useRef<AbortController | undefined>(undefined);
  const run = async (tree: KeyTree, cursor: string, speed = 'gentle'): Promise<void> => {
    running.current?.abort();
    const stopping = new AbortController();
    running.current = stopping;
    setState((before) => ({ ...before, tree, isRunning: true, isBrisk: speed === 'brisk' }));
    try {
      await stream(
        'keys/scan',
        { match: patternOf(match), type, cursor, limit: BATCH, speed },
        {
          keys: (keys: readonly WireBytes[]) => {
            for (const key of keys) tree.add(key);
            setVersion((before) => before + 1);
          },
          progress: (progress: ScanProgress) => setState((before) => ({ ...before, progress })),
        },
        stopping.signal,
        { steady: true },
      );
    } catch (error) {
      if (!stopping.signal.aborted) tellError(error);
    }
    if (running.current === stopping) setState((before) => ({ ...before, isRunning: false }));
  };
  useEffect(() => {
    void run(new KeyTree(separator), '');
    return () => running.current?.abort();
  }, [match, type, separator, turn]);
  const { tree, progress, isRunning, isBrisk } = state;
  return {
    tree,
    version,
    progress,
    isRunning,
    isBrisk,
    isEmpty: !isRunning && progress?.cursor === null && tree.size === 0,
    stop: () => running.current?.abort(),
    more: () => void run(tree, progress?.cursor ?? ''),
    hurry: () => void run(tree, progress?.cursor ?? '', 'brisk'),
    restart: () => setTurn(turn + 1),
    changed: () => setVersion((before) => before + 1),
  };
}

function ScanBar({ scan }: { readonly scan: Scan }) {
  const { progress, isRunning, isBrisk, tree } = scan;
  const share = progress?.share ?? 0;
  const isAtEnd = progress !== undefined && progress.cursor === null;
  return (
    <div class="scan-bar">
      <span aria-live="polite">
        {isAtEnd && !isRunning
          ? t('{count} keys', { count: count(tree.size) })
          : t('{count} keys in {share} % of the database', {
              count: count(tree.size),
              share: Math.floor(share * 100),
            })}
      </span>
      {isRunning ? (
        <>
          <progress value={share} aria-label={t('Progress of the search')} />
          {!isBrisk && progress?.cursor != null && (
            <button
              type="button"
              class="quiet"
              title={t('Takes more of the time of the server: other clients may notice it.')}
              onClick={scan.hurry}
            >
              {t('Faster')}
            </button>
          )}
          <button type="button" class="quiet" onClick={scan.stop}>
            {t('Stop')}
          </button>
        </>
      ) : (
        <>
          {!isAtEnd && (
            <button type="button" class="quiet" disabled={tree.size >= MAX_KEPT} onClick={scan.more}>
              {t('Continue')}
            </button>
          )}
          <button type="button" class="quiet" onClick={scan.restart}>
            {t('Reload')}
          </button>
        </>
      )}
      {tree.size >= MAX_KEPT && <span class="dim">{t('No more keys are kept: narrow the pattern.')}</span>}
    </div>
  );
}
