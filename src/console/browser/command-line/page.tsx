import { useEffect, useRef, useState } from 'preact/hooks';
import type { CommandEntry, CommandResult } from '../../types/commands.js';
import { post } from '../api.js';
import { duration, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { Form } from '../ui/inputs.js';
import { PageHead } from '../ui/layout.js';
import { Reply } from '../ui/reply.js';
import { Tabs } from '../ui/tabs.js';
import { useLoaded } from '../ui/use.js';
import { documented, suggestions } from './completion.js';
import { ScriptForm } from './script.js';

type Tab = 'commands' | 'script';

/** A command line with completion and documentation, and scripts with named inputs. */
export default function CommandLine({ session }: PageProps) {
  const [tab, setTab] = useState<Tab>('commands');
  return (
    <>
      <PageHead title={t('Command line')} />
      <Tabs
        label={t('View')}
        tabs={[
          ['commands', t('Commands')],
          ['script', t('Script')],
        ]}
        selected={tab}
        select={setTab}
      />
      {tab === 'commands' ? <Commands session={session} /> : <ScriptForm isReadOnly={session.readOnly} />}
    </>
  );
}

interface Done {
  readonly id: number;
  readonly line: string;
  readonly result: CommandResult | Error;
}

const HISTORY = 'sorrel-console-history';
const MAX_HISTORY = 200;
const MAX_DONE = 100;
let nextId = 1;
let kept: readonly Done[] = [];

function Commands({ session }: Pick<PageProps, 'session'>) {
  const { value: table = [] } = useLoaded<readonly CommandEntry[]>('commands');
  const [done, setDone] = useState(kept);
  const [server, setServer] = useState('');
  const [running, setRunning] = useState<string>();
  const end = useRef<HTMLDivElement>(null);
  const run = async (line: string): Promise<void> => {
    setRunning(line);
    const result = await post<CommandResult>('commands/run', { line, server }).catch((error: Error) => error);
    kept = [...kept, { id: nextId++, line, result }].slice(-MAX_DONE);
    setDone(kept);
    setRunning(undefined);
  };
  useEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [done]);
  return (
    <div class="panel">
      <ol class="transcript" aria-live="polite" aria-label={t('Replies')}>
        {done.map(({ id, line, result }) => (
          <li key={id}>
            <div class="prompt">
              <code>&gt; {line}</code>
              {!(result instanceof Error) && <span class="dim"> {duration(result.ms)}</span>}
            </div>
            {result instanceof Error ? (
              <span class="reply-error">{result.message}</span>
            ) : (
              <Reply reply={result.reply} />
            )}
          </li>
        ))}
        {running !== undefined && (
          <li>
            <div class="prompt">
              <code>&gt; {running}</code> <span class="dim">…</span>
            </div>
          </li>
        )}
      </ol>
      <div ref={end} />
      {session.servers.length > 1 && (
        <label>
          {t('Server')}
          <select value={server} onChange={(event) => setServer(event.currentTarget.value)}>
            <option value="">{t('the one that has the key')}</option>
            {session.servers.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <Prompt table={table} isRunning={running !== undefined} run={(line) => void run(line)} />
      {done.length > 0 && (
        <div>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              kept = [];
              setDone(kept);
            }}
          >
            {t('Clear')}
          </button>
        </div>
      )}
    </div>
  );
}

interface PromptProps {
  readonly table: readonly CommandEntry[];
  readonly isRunning: boolean;
  run(line: string): void;
}

/** The input line: Tab completes, the arrow keys go through suggestions or the history. */
function Prompt({ table, isRunning, run }: PromptProps) {
  const [line, setLine] = useState('');
  const [active, setActive] = useState(-1);
  const [back, setBack] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const found = suggestions(table, line);
  const entry = documented(table, line);
  const change = (text: string): void => {
    setLine(text);
    setActive(-1);
  };
  const complete = (name: string): void => {
    change(`${name} `);
    input.current?.focus();
  };
  const recall = (steps: number): void => {
    const lines = history();
    const next = Math.max(0, Math.min(lines.length, back + steps));
    setBack(next);
    change(next === 0 ? '' : (lines[lines.length - next] ?? ''));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const chosen = found[active === -1 ? 0 : active];
    if (event.key === 'Tab' && !event.shiftKey && chosen !== undefined && line !== '') complete(chosen.name);
    else if (event.key === 'ArrowDown' && active >= -1 && found.length > 0 && back === 0 && line !== '')
      setActive(Math.min(active + 1, found.length - 1));
    else if (event.key === 'ArrowUp' && active >= 0) setActive(active - 1);
    else if (event.key === 'ArrowUp') recall(1);
    else if (event.key === 'ArrowDown') recall(-1);
    else if (event.key === 'Escape') change('');
    else return;
    event.preventDefault();
  };
  return (
    <Form
      class="prompt-form"
      submit={() => {
        const chosen = found[active];
        if (chosen !== undefined) complete(chosen.name);
        else if (line.trim() !== '' && !isRunning) {
          remember(line);
          setBack(0);
          change('');
          run(line);
        }
      }}
    >
      <label class="grow">
        <span class="hidden">{t('Command')}</span>
        <input
          ref={input}
          class="mono"
          value={line}
          placeholder="SET greeting hello"
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="suggestions"
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `suggestion-${active}` : undefined}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </label>
      <button type="submit" class="main" disabled={isRunning}>
        {t('Run')}
      </button>
      <div
        id="suggestions"
        role="listbox"
        aria-label={t('Suggestions')}
        class={found.length > 0 ? 'suggestions' : 'hidden'}
      >
        {found.map(({ name, syntax, summary }, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={name}
            id={`suggestion-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => complete(name)}
          >
            <b>{name}</b> <code class="dim">{syntax}</code>
            <span class="dim">{summary}</span>
          </div>
        ))}
      </div>
      {entry !== undefined && <Documentation entry={entry} />}
    </Form>
  );
}

function Documentation({ entry }: { readonly entry: CommandEntry }) {
  const { name, syntax, summary, since, complexity, isDangerous, group } = entry;
  return (
    <aside class="documentation" aria-label={t('Documentation')}>
      <div>
        <b>{name}</b> <code>{syntax}</code>
      </div>
      <div>{summary}</div>
      <div class="dim">
        {group} · {t('since {version}', { version: since })}
        {complexity !== '' && ` · ${complexity}`}
      </div>
      {isDangerous && (
        <div class="badge warn">{t('Dangerous: it may stop other clients or change the server.')}</div>
      )}
    </aside>
  );
}

function history(): string[] {
  try {
    const lines: unknown = JSON.parse(localStorage.getItem(HISTORY) ?? '[]');
    return Array.isArray(lines) ? lines.map(String) : [];
  } catch {
    return [];
  }
}

/** Passwords are not kept. */
function remember(line: string): void {
  if (/^\s*(auth|hello|acl\s+setuser|config\s+set\s+\S*(pass|auth))/i.test(line)) return;
  const lines = history().filter((other) => other !== line);
  localStorage.setItem(HISTORY, JSON.stringify([...lines, line].slice(-MAX_HISTORY)));
}
