import type { WireCommand } from '../command-runner.js';
import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import { callWhenFree, type EmbeddedClient } from './embedded-client.js';

const MULTI: WireCommand = { words: ['MULTI'] };
const EXEC: WireCommand = { words: ['EXEC'] };

/** MULTI, the requests, EXEC. Null if a watched key had changed. */
export async function execute(
  client: EmbeddedClient,
  requests: readonly Request[],
  format: number,
): Promise<readonly Reply[] | null> {
  await callWhenFree(client, MULTI, [], format);
  const queued = requests.map(({ command, args }) => client.call(command, args, format));
  return outcome(await callWhenFree(client, EXEC, [], format), queued);
}

/** The same at once; undefined if CLIENT PAUSE holds it back. */
export function executeNow(
  client: EmbeddedClient,
  requests: readonly Request[],
  format: number,
): readonly Reply[] | null | undefined {
  if (client.call(MULTI, [], format) === undefined) return undefined;
  const queued = requests.map(({ command, args }) => client.call(command, args, format));
  const reply = client.call(EXEC, [], format);
  if (reply !== undefined) return outcome(reply, queued);
  client.leave();
  return undefined;
}

/** What EXEC answered; where it refused, the first error of a command says why. */
export function outcome(reply: Reply, queued: readonly (Reply | undefined)[]): readonly Reply[] | null {
  if (!(reply instanceof StoreError)) return reply as readonly Reply[] | null;
  const cause = queued.find((answer) => answer instanceof StoreError) ?? reply;
  throw new StoreError(reply.code, reply.message, { cause, results: queued });
}
