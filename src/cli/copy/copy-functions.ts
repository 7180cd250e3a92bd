import { type Store, StoreError } from '../../store/index.js';
import type { CopyPlace } from './copy-place.js';

/** The code of each function library at a place, by its name; empty before Redis 7.0, which has none. */
export async function librariesAt(place: CopyPlace): Promise<ReadonlyMap<string, string>> {
  const [server] = await place.servers(place.named ?? 0);
  return librariesOf(server as Store);
}

/** Copies all function libraries and compares them; every server of a Cluster gets them. */
export async function copyFunctions(source: CopyPlace, target: CopyPlace): Promise<number> {
  const [from] = await source.servers(source.named ?? 0);
  const wanted = await librariesAt(source);
  if (wanted.size === 0) return 0;
  const payload = await (from as Store).bytes.send<Buffer>('FUNCTION', 'DUMP');
  for (const server of await target.servers(target.named ?? 0)) {
    await server.send('FUNCTION', 'RESTORE', payload, 'REPLACE');
    const found = await librariesOf(server);
    for (const [name, code] of wanted) {
      if (found.get(name) !== code)
        throw new Error(`the function library '${name}' did not arrive as it was sent`);
    }
  }
  return wanted.size;
}

async function librariesOf(server: Store): Promise<ReadonlyMap<string, string>> {
  const libraries = new Map<string, string>();
  for (const library of await list(server)) {
    const field = (name: string): string => String(library[library.indexOf(name) + 1]);
    libraries.set(field('library_name'), field('library_code'));
  }
  return libraries;
}

async function list(server: Store): Promise<readonly (readonly unknown[])[]> {
  try {
    return await server.send<readonly (readonly string[])[]>('FUNCTION', 'LIST', 'WITHCODE');
  } catch (error) {
    if (error instanceof StoreError && /unknown command/.test(error.message)) return [];
    throw error;
  }
}
