import { StoreError } from '../../../store/index.js';
import { type StoreServer, serversOf } from '../../../store/servers.js';
import { invalid } from '../../frame/api-error.js';
import type { ApiCall } from '../../frame/route.js';

/** Asks every server, and joins their lists. */
export async function onEach<Row>(
  { store }: Pick<ApiCall, 'store'>,
  rows: (server: StoreServer) => Promise<readonly Row[]>,
): Promise<Row[]> {
  return (await Promise.all(serversOf(store).map(rows))).flat();
}

/** The server that an input names. */
export function namedServer({ store, inputs }: ApiCall): StoreServer {
  const name = inputs.text('server');
  const server = serversOf(store).find((candidate) => candidate.name === name);
  if (server === undefined) throw invalid(`there is no server '${name}'`);
  return server;
}

/** The value, or the fallback if the server does not have the command. */
export async function unlessUnknown<T>(work: Promise<T>, fallback: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'ERR') return fallback;
    throw error;
  }
}

/** `name value name value` as an object, with the values as text. */
export function fieldsOf(words: readonly unknown[]): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (let i = 0; i + 1 < words.length; i += 2) fields[String(words[i])] = words[i + 1];
  return fields;
}
