import type { WireCommand } from '../command-runner.js';
import { execOutcome } from '../exec-outcome.js';
import type { Reply, Request } from '../transport.js';
import { callWhenFree, type EmbeddedClient } from './embedded-client.js';

const MULTI: WireCommand = { words: ['MULTI'] };
const EXEC: WireCommand = { words: ['EXEC'] };

/** Runs MULTI, the requests, EXEC. Null if a watched key had changed. */
export async function execute(
  client: EmbeddedClient,
  requests: readonly Request[],
  format: number,
): Promise<readonly Reply[] | null> {
  await callWhenFree(client, MULTI, [], format);
  const queued = requests.map(({ command, args }) => client.call(command, args, format));
  return execOutcome(await callWhenFree(client, EXEC, [], format), queued);
}

/** Like `execute`, but synchronous; undefined if CLIENT PAUSE delays it. */
export function executeNow(
  client: EmbeddedClient,
  requests: readonly Request[],
  format: number,
): readonly Reply[] | null | undefined {
  if (client.call(MULTI, [], format) === undefined) return undefined;
  const queued = requests.map(({ command, args }) => client.call(command, args, format));
  const reply = client.call(EXEC, [], format);
  if (reply !== undefined) return execOutcome(reply, queued);
  client.leave();
  return undefined;
}
