import type { Call } from '../call.js';
import { CommandError } from '../errors.js';
import { parseUserFile } from './user-file.js';

const NO_FILE = new CommandError(
  'ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER ' +
    'command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store ' +
    'users in the Redis configuration.',
);
const NOT_SAVED = new CommandError(
  'ERR There was an error trying to save the ACLs. Please check the server logs for more information',
);

/** ACL LOAD: replaces all users by those of the file or, if the file has errors, none. */
export function aclLoad(call: Call): void {
  const { settings, host, users } = call.engine;
  const path = settings.text('aclfile');
  if (path === '') throw NO_FILE;
  let text: string;
  try {
    text = host.readText(path);
  } catch (error) {
    const { message } = error as Error;
    throw new CommandError(`ERR Error loading ACLs, opening file '${path}': ${message}`);
  }
  const found = parseUserFile(text, path, users);
  if (typeof found === 'string') throw new CommandError(`ERR ${found}`);
  users.replaceAll(found, call.session);
  call.reply.ok();
}

/** ACL SAVE: writes all users into the file. */
export function aclSave({ engine, reply }: Call): void {
  const { settings, host, users } = engine;
  const path = settings.text('aclfile');
  if (path === '') throw NO_FILE;
  try {
    host.replaceText(path, users.describe().join('\n').concat('\n'));
  } catch (error) {
    host.log('warning', `Writing the ACL file '${path}' failed: ${(error as Error).message}`);
    throw NOT_SAVED;
  }
  reply.ok();
}
