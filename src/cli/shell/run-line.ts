import { existsSync, readFileSync } from 'node:fs';
import { splitWords } from '../../bytes/quoting.js';
import type { Console } from './console.js';
import { isHelp, type Session } from './session.js';

/** Runs a line of a session, which is latin1. */
export async function runLine(line: string, session: Session, out: Console): Promise<'end' | 'next'> {
  if (line === '') return 'next';
  const words = splitWords(line);
  if (words === undefined) {
    out.print('Invalid argument(s)\n');
    return 'next';
  }
  const [first = ''] = words;
  if (words.length === 0) return 'next';
  if (/^(?:quit|exit)$/i.test(first)) return 'end';
  if (first.startsWith(':')) out.print(preferenceProblem(words) ?? '');
  else if (/^connect$/i.test(first) && words.length === 3) {
    const { endpoint } = session.client;
    const port = Number.parseInt(words[2] as string, 10) || 0;
    session.client.endpoint = { ...endpoint, host: words[1] as string, port, path: undefined };
    await session.client.connect();
  } else if (/^clear$/i.test(first) && words.length === 1) out.print('\x1b[H\x1b[2J');
  else await runRepeated(words, session, out);
  return 'next';
}

/** `5 INCR counter` runs the command five times. */
async function runRepeated(words: readonly string[], session: Session, out: Console): Promise<void> {
  const isRepeated = words.length > 1 && /^[-+]?\d+$/.test(words[0] as string);
  const repeat = isRepeated ? Number(words[0]) : 1;
  if (!Number.isSafeInteger(repeat) || repeat <= 0) {
    out.print('Invalid redis-cli repeat command option value.\n');
    return;
  }
  const begun = performance.now();
  const args = isRepeated ? words.slice(1) : words;
  await session.run(args, repeat);
  const elapsed = isHelp(args[0] as string) ? 0 : performance.now() - begun;
  if (elapsed >= SLOW_MS && out.style.mode === 'standard') out.print(`(${(elapsed / 1000).toFixed(2)}s)\n`);
}

const SLOW_MS = 500;

/** What is wrong with a line like `:set hints`; undefined if nothing is. */
export function preferenceProblem(words: readonly string[]): string | undefined {
  const [command = '', name] = words;
  if (!/^:set$/i.test(command) || name === undefined)
    return `unknown redis-cli internal command '${command}'\n`;
  return PREFERENCES.has(name.toLowerCase()) ? undefined : `unknown redis-cli preference '${name}'\n`;
}

export const PREFERENCES: ReadonlySet<string> = new Set([
  'hints',
  'nohints',
  'fold',
  'nofold',
  'color',
  'nocolor',
]);

/** The lines of the user's file of preferences. */
export function rcFile(environment: Readonly<Record<string, string | undefined>>): string[] {
  const path = environment['REDISCLI_RCFILE'] ?? `${environment['HOME'] ?? ''}/.redisclirc`;
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
}
