import { readFileSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { interruptible } from '../interruptible.js';
import { REASONS } from '../wire/connect.js';
import { type Link, LinkError } from '../wire/link.js';
import { Client } from './client.js';
import { type Console, Exit, PlainConsole, processSurroundings, type Surroundings } from './console.js';
import { isDataFile } from './data-file.js';
import type { OutputStyle } from './format-reply.js';
import { ModeError, runBigKeys, runHotKeys, runScan } from './key-modes.js';
import type { OpenFile } from './open-data-file.js';
import { type CliOptions, exactParameters, type Mode, parseCliOptions } from './options.js';
import { runPipe } from './pipe-mode.js';
import { followMaster, saveRdb } from './replica-mode.js';
import { runLine } from './run-line.js';
import { UsageError } from './server-options.js';
import { Session } from './session.js';
import {
  runIntrinsicLatency,
  runLatency,
  runLatencyDistribution,
  runLruTest,
  runStat,
  type WatchOptions,
} from './watch-modes.js';

/** `sorrel cli`. The result is the exit code. `help` and `version` are what these options print. */
export async function runCli(
  parameters: readonly string[],
  { help, version }: { readonly help: string; readonly version: string },
  surroundings: Surroundings = processSurroundings,
): Promise<number> {
  const printLine = (fd: 1 | 2, line: string): void => surroundings.write(fd, Buffer.from(`${line}\n`));
  let options: CliOptions;
  try {
    options = parseCliOptions(exactParameters(parameters), surroundings.environment, isDataFile);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printLine(error.isOutput ? 1 : 2, error.message);
    return 1;
  }
  if (options.mode.kind === 'help' || options.mode.kind === 'version') {
    printLine(1, options.mode.kind === 'help' ? help : version);
    return 0;
  }
  for (const warning of options.warnings) printLine(2, warning);
  if (options.asksPassword) options = withPassword(options, await askPassword(surroundings));
  const file = options.file === undefined ? undefined : await openFile(options.file, options.canWrite);
  try {
    return await runOn(options, file, surroundings);
  } finally {
    await file?.close();
  }
}

/** Only this needs an engine. */
async function openFile(path: string, canWrite: boolean): Promise<OpenFile> {
  const { openDataFile } = await import('./open-data-file.js');
  return openDataFile(path, canWrite);
}

async function runOn(
  options: CliOptions,
  file: OpenFile | undefined,
  surroundings: Surroundings,
): Promise<number> {
  const { environment, input, isOutputTerminal } = surroundings;
  const isTerminal = isOutputTerminal || environment['FAKETTY'] !== undefined;
  const style: OutputStyle = {
    mode: options.output ?? (isTerminal ? 'standard' : 'raw'),
    itemDelimiter: options.itemDelimiter,
    replyDelimiter: options.replyDelimiter,
  };
  const out = new PlainConsole(style, options.showPushes ?? isTerminal, surroundings);
  const endpoint =
    file === undefined ? options.server.endpoint : { host: '', port: 0, path: file.socketPath };
  const client = new Client(options, endpoint, out);
  try {
    const isSession = options.command.length === 0 && options.mode.kind === 'command';
    if (!isSession || options.lastArgumentFromInput || options.inputTag !== undefined)
      return await runMode(options, client, out, surroundings);
    if (input.isTTY !== true || !isOutputTerminal) return await runLines(options, client, out, input);
    const { runInteractive } = await import('./interactive/interactive.js');
    return await runInteractive(options, client, style, file?.name);
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (!(error instanceof ModeError || error instanceof LinkError)) throw error;
    out.error(error instanceof LinkError ? `Error: ${error.message}` : error.message);
    return 1;
  } finally {
    client.link?.close();
  }
}

async function runMode(
  options: CliOptions,
  client: Client,
  out: Console,
  surroundings: Surroundings,
): Promise<number> {
  const { input, isOutputTerminal } = surroundings;
  const { mode } = options;
  if (mode.kind === 'intrinsic-latency') {
    runIntrinsicLatency(mode.seconds, out);
    return 0;
  }
  if (mode.kind === 'cluster') return manageCluster(options, mode.name, out, surroundings);
  if (mode.kind === 'eval' && options.debugging !== 'no')
    return debugScript(options, mode.path, client, out, surroundings);
  if (mode.kind === 'command' || mode.kind === 'eval') return runCommand(options, client, out, input);
  await client.connect();
  const { link } = client;
  if (link === undefined) return 1;
  const interruption = interruptible();
  const watch: WatchOptions = {
    intervalMs: options.intervalMs,
    signal: interruption.signal,
    isTerminal: isOutputTerminal,
  };
  try {
    return await runModeOn(link, options, mode, watch, out, input);
  } finally {
    interruption.end();
  }
}

async function runModeOn(
  link: Link,
  options: CliOptions,
  mode: Exclude<Mode, { kind: 'command' | 'eval' | 'cluster' | 'intrinsic-latency' }>,
  watch: WatchOptions,
  out: Console,
  input: Readable,
): Promise<number> {
  switch (mode.kind) {
    case 'pipe':
      link.onPush = undefined;
      return (await runPipe(link, input, options.pipeTimeout, out)) ? 0 : 1;
    case 'scan':
      await runScan(link, options, out);
      return 0;
    case 'bigkeys':
      await runBigKeys(link, options, undefined, out);
      return 0;
    case 'memkeys':
      await runBigKeys(link, options, { samples: mode.samples }, out);
      return 0;
    case 'hotkeys':
      await runHotKeys(link, options, out);
      return 0;
    case 'stat':
      await runStat(link, watch, out);
      return 0;
    case 'latency':
    case 'latency-history':
      await runLatency(link, mode.kind === 'latency-history', watch, out);
      return 0;
    case 'latency-dist':
      await runLatencyDistribution(link, watch, out);
      return 0;
    case 'lru-test':
      await runLruTest(link, mode.keys, watch, out);
      return 0;
    case 'rdb':
      await reporting(() => saveRdb(link, mode.path, mode.onlyFunctions, (line) => out.error(line)));
      return 0;
    case 'replica':
      await reporting(() => followMaster(link, out, (line) => out.error(line)));
      return 0;
    case 'version':
    case 'help':
      return 0;
  }
}

/** A failure of these modes is a sentence for the user already. */
async function reporting(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof LinkError ? error : new ModeError((error as Error).message);
  }
}

/** One command of the command line. */
async function runCommand(
  options: CliOptions,
  client: Client,
  out: Console,
  input: Readable,
): Promise<number> {
  const args =
    options.mode.kind === 'eval'
      ? evalArguments(options.mode.path, options.command)
      : await withInput(options, input);
  await client.connect(true);
  const session = new Session(client, out, options, false);
  return (await session.run(args, options.repeat)) ? 0 : 1;
}

async function debugScript(
  options: CliOptions,
  path: string,
  client: Client,
  out: Console,
  surroundings: Surroundings,
): Promise<number> {
  const { runDebugger } = await import('./debug-mode.js');
  if (!(await client.connect())) return 1;
  const isSync = options.debugging === 'sync';
  const command = (): readonly string[] => evalArguments(path, options.command);
  return runDebugger({ isSync, command }, options, client, out, surroundings);
}

/** Only this needs the cluster manager. */
async function manageCluster(
  options: CliOptions,
  name: string,
  out: Console,
  surroundings: Surroundings,
): Promise<number> {
  const { runManager } = await import('../cluster-manager/run-manager.js');
  const lines = new InputLines(surroundings.input);
  try {
    return await runManager(
      { name, words: options.command, options: options.manager, isVerbose: options.isVerbose },
      {
        server: options.server,
        out,
        input: lines,
        hasColors: /xterm/.test(surroundings.environment['TERM'] ?? ''),
        askPassword: (prompt) => askPassword(surroundings, prompt),
      },
    );
  } finally {
    lines.close();
  }
}

/** Reads standard input only if it is asked for a line. */
class InputLines {
  readonly #input: Readable;
  #reader: Interface | undefined;
  #lines: AsyncIterator<string> | undefined;

  constructor(input: Readable) {
    this.#input = input;
  }

  /** Undefined at the end. */
  async line(): Promise<string | undefined> {
    this.#reader ??= createInterface({ input: this.#input.setEncoding('latin1'), crlfDelay: 0 });
    this.#lines ??= this.#reader[Symbol.asyncIterator]();
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  close(): void {
    this.#reader?.close();
  }
}

/** `--eval FILE key key , argument argument` */
function evalArguments(path: string, words: readonly string[]): readonly string[] {
  let script: string;
  try {
    script = readFileSync(path, 'latin1');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new ModeError(`Can't open file '${path}': ${REASONS[code] ?? message}`);
  }
  const comma = words.indexOf(',');
  const keys = comma < 0 ? words : words.slice(0, comma);
  return ['EVAL', script, String(keys.length), ...keys, ...(comma < 0 ? [] : words.slice(comma + 1))];
}

/** The command, with standard input as its last argument (-x) or in the place of a word (-X). */
async function withInput(
  { command, lastArgumentFromInput, inputTag }: CliOptions,
  input: Readable,
): Promise<readonly string[]> {
  if (!lastArgumentFromInput && inputTag === undefined) return command;
  if (inputTag !== undefined && !command.includes(inputTag))
    throw new ModeError('Using -X option but stdin tag not match.');
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).latin1Slice();
  if (lastArgumentFromInput) return [...command, text];
  const at = command.indexOf(inputTag as string);
  return command.map((word, index) => (index === at ? text : word));
}

/** Commands from standard input, one in a line; without a prompt. */
async function runLines(options: CliOptions, client: Client, out: Console, input: Readable): Promise<number> {
  await client.connect();
  const session = new Session(client, out, options, true);
  const lines = createInterface({ input: input.setEncoding('latin1'), crlfDelay: 0 });
  for await (const line of lines) {
    if ((await runLine(line, session, out)) === 'end') break;
  }
  lines.close();
  return 0;
}

function withPassword(options: CliOptions, password: string): CliOptions {
  return { ...options, server: { ...options.server, password } };
}

/** Reads a line without showing it. */
async function askPassword(
  { input, write }: Surroundings,
  prompt = 'Please input password: ',
): Promise<string> {
  if (input.isTTY !== true) throw new UsageError('--askpass needs a terminal: use REDISCLI_AUTH');
  const { stdin } = process;
  write(1, Buffer.from(prompt));
  stdin.setRawMode(true);
  let typed = '';
  try {
    for await (const chunk of stdin.setEncoding('latin1')) {
      for (const character of chunk as string) {
        if (character === '\r' || character === '\n') return typed;
        if (character === '\x03') process.exit(130);
        if (character === '\x7f' || character === '\b') typed = typed.slice(0, -1);
        else typed += character;
        write(1, Buffer.from('*'));
      }
    }
    return typed;
  } finally {
    stdin.setRawMode(false);
    write(1, Buffer.from('\n'));
  }
}
