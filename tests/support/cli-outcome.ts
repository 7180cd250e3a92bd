import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { runCli } from '../../src/cli/shell/cli.js';

/** What a run of a command line tool has written, and its exit code. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** `sorrel cli`, in this process. */
export async function ours(parameters: readonly string[], input: string, term = 'dumb'): Promise<Outcome> {
  const written = { 1: [] as Buffer[], 2: [] as Buffer[] };
  const code = await runCli(
    parameters,
    { help: '', version: '' },
    {
      environment: { TERM: term },
      input: Readable.from(piecesOf(Buffer.from(input, 'latin1'))),
      isOutputTerminal: false,
      write: (fd, bytes) => void written[fd].push(Buffer.from(bytes)),
    },
  );
  return {
    stdout: Buffer.concat(written[1]).latin1Slice(),
    stderr: Buffer.concat(written[2]).latin1Slice(),
    code,
  };
}

/** As large as those that a pipe yields. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}

/** redis-cli. */
export function theirs(parameters: readonly string[], input: string, term = 'dumb'): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const { REDISCLI_AUTH: _, ...env } = process.env;
    const child = spawn('redis-cli', parameters, { env: { ...env, TERM: term } });
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        stdout: Buffer.concat(out).latin1Slice(),
        stderr: Buffer.concat(errors).latin1Slice(),
        code,
      }),
    );
    child.stdin.on('error', () => {});
    child.stdin.end(Buffer.from(input, 'latin1'));
  });
}
