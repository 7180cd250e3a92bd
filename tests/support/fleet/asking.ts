import type { Command } from '../../oracle/support/command.js';
import { RawClient } from '../../oracle/support/raw-client.js';
import { type Plain, plain } from '../../oracle/support/reply.js';

/** Long, because the machine may be busy: slow servers are not broken servers. */
const PATIENCE_MS = 90_000;

/** Sends a command to the server on this port, on a new connection. Throws an error reply. */
export async function ask(port: number, ...words: string[]): Promise<Plain> {
  const client = await RawClient.connect(port);
  try {
    return await must(client, words);
  } finally {
    client.close();
  }
}

async function must(client: RawClient, command: Command): Promise<Plain> {
  const reply = plain(await client.call(command, PATIENCE_MS));
  if (reply instanceof Error) throw new Error(`${String(command)}: ${reply.message}`);
  return reply;
}

/** Repeats a command until the condition holds for the reply, and returns it. The error contains the last reply. */
export async function askUntil(
  port: number,
  words: readonly string[],
  isSo: (answer: Plain) => boolean,
): Promise<Plain> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  let answer: Plain | Error = null;
  while (Date.now() < giveUpAt) {
    try {
      answer = await ask(port, ...words);
      if (isSo(answer)) return answer;
    } catch (error) {
      answer = error as Error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(
    `${words.join(' ')} on port ${port} did not return what was expected; the last reply was ${String(answer)}`,
  );
}
