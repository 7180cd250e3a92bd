import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CommandError } from '../../commands/errors.js';
import { AofFolder } from '../../persistence/aof/aof-folder.js';
import { AofLoading } from '../../persistence/aof/aof-loading.js';
import { RdbLoading } from '../../persistence/rdb-loading.js';
import { unixSocketOf } from '../../store/connector/unix-socket.js';
import { EmbeddedEngine } from '../../store/embedded/embedded-engine.js';
import { type EmbeddedStore, open } from '../../store/index.js';
import { type DataFile, findDataFile } from './data-file.js';

/** An engine of this process with the data of a file, reachable by a socket. */
export interface OpenFile {
  readonly socketPath: string;
  /** The name for the prompt. */
  readonly name: string;
  close(): Promise<void>;
}

/** Opens a dump or an append-only folder. Unless `canWrite`, its files stay as they are and commands that write are refused. */
export async function openDataFile(path: string, canWrite: boolean): Promise<OpenFile> {
  const file = findDataFile(path);
  if (file === undefined) {
    throw new Error(
      existsSync(path)
        ? `${path} is neither a dump nor a folder with an append-only file`
        : `there is no file ${path}`,
    );
  }
  return canWrite ? openForWriting(path, file) : openForReading(path, file);
}

/** Loads the data into memory: nothing is left to write to. */
async function openForReading(path: string, file: DataFile): Promise<OpenFile> {
  const place =
    file.kind === 'rdb'
      ? {}
      : {
          dir: file.folder,
          appenddirname: file.subfolder,
          appendfilename: file.name,
          // An incomplete end would be cut off from the file.
          'aof-load-truncated': false,
        };
  const embedded = new EmbeddedEngine({ settings: { ...place, save: '', databases: MAX_DATABASES } }, 'kept');
  const { engine } = embedded;
  try {
    if (file.kind === 'rdb') await new RdbLoading(engine, file.path).load();
    else {
      const folder = new AofFolder(engine.settings);
      folder.read();
      await new AofLoading(engine, folder).load();
    }
  } catch (error) {
    await embedded.close();
    throw new Error(`${path} cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
  engine.attach({ checks: { write: () => READ_ONLY } });
  embedded.join();
  return {
    socketPath: await unixSocketOf(embedded),
    name: basename(path),
    close: () => embedded.leave(),
  };
}

const READ_ONLY = new CommandError('READONLY The file is open for reading. Use --write to change it.');

/** A store on the file's folder, locked against others. A dump is saved at the end if anything changed. */
async function openForWriting(path: string, file: DataFile): Promise<OpenFile> {
  const databases = MAX_DATABASES;
  const store: EmbeddedStore =
    file.kind === 'rdb'
      ? await open(`file:${dirname(file.path)}`, {
          settings: { appendonly: false, dbfilename: basename(file.path), databases },
        })
      : await open(`file:${file.folder}`, {
          settings: { appenddirname: file.subfolder, appendfilename: file.name, databases },
        });
  const close = async (): Promise<void> => {
    const info = await store.send<string>('INFO', 'persistence');
    if (file.kind === 'rdb' && !/rdb_changes_since_last_save:0\r/.test(info)) await store.send('SAVE');
    await store.close();
  };
  return { socketPath: await store.unixSocket(), name: basename(path), close };
}

/** The file may come from a server with more databases than the default. */
const MAX_DATABASES = 1024;
