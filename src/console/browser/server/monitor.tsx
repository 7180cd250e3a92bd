import { useRef, useState } from 'preact/hooks';
import { stream } from '../api.js';
import { count, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { PageHead, Panel, Table } from '../ui/layout.js';
import { tellError } from '../ui/notices.js';

interface Line {
  readonly id: number;
  readonly source: string;
  readonly command: string;
}

interface Batch {
  readonly seen: number;
  readonly lines: readonly Omit<Line, 'id'>[];
}

const MAX_KEPT = 300;
let nextId = 1;

/** The commands that a server runs, for half a minute. */
export default function Monitor({ session }: PageProps) {
  const [server, setServer] = useState(session.servers[0] ?? '');
  const [running, setRunning] = useState<AbortController>();
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [seen, setSeen] = useState(0);
  const commands = useRef(new Map<string, number>());
  const start = async (): Promise<void> => {
    const stopping = new AbortController();
    setRunning(stopping);
    setLines([]);
    setSeen(0);
    commands.current.clear();
    const take = (batch: Batch): void => {
      setSeen((before) => before + batch.seen);
      for (const { command } of batch.lines) {
        const name = /^"([^"]{1,40})"/.exec(command)?.[1]?.toUpperCase() ?? '?';
        commands.current.set(name, (commands.current.get(name) ?? 0) + 1);
      }
      setLines((before) =>
        [...batch.lines.map((line) => ({ ...line, id: nextId++ })).reverse(), ...before].slice(0, MAX_KEPT),
      );
    };
    try {
      await stream('server/monitor', { server }, { lines: take }, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted) tellError(error);
    }
    setRunning(undefined);
  };
  const names = [...commands.current].sort(([, one], [, other]) => other - one).slice(0, 12);
  return (
    <>
      <PageHead title={t('Monitor')}>
        {session.servers.length > 1 && (
          <label>
            {t('Server')}
            <select value={server} onChange={(event) => setServer(event.currentTarget.value)}>
              {session.servers.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        {running === undefined ? (
          <button type="button" class="main" onClick={() => void start()}>
            {t('Watch for 30 s')}
          </button>
        ) : (
          <button type="button" onClick={() => running.abort()}>
            {t('Stop')}
          </button>
        )}
      </PageHead>
      <p class="dim">
        {t(
          'MONITOR slows a busy server down, up to half. It ends by itself; of many commands, a sample is shown.',
        )}
      </p>
      <div class="columns">
        <Panel title={t('Commands')}>
          <p class="dim" aria-live="polite">
            {t('{count} commands were seen.', { count: count(seen) })}
          </p>
          <Table
            label={t('Commands')}
            columns={[
              { title: t('Client'), cell: ({ source }) => <code>{source}</code> },
              { title: t('Command'), cell: ({ command }) => <code class="bytes">{command}</code> },
            ]}
            rows={lines}
            rowKey={({ id }) => id}
            empty={t('No command yet.')}
          />
        </Panel>
        <Panel title={t('By name')}>
          <Table
            label={t('By name')}
            columns={[
              { title: t('Command'), cell: ([name]) => <code>{name}</code> },
              { title: t('In the sample'), isNumber: true, cell: ([, times]) => count(times) },
            ]}
            rows={names}
            rowKey={([name]) => name}
          />
        </Panel>
      </div>
    </>
  );
}
