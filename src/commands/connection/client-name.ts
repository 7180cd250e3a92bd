import { CommandError } from '../errors.js';

const BAD_NAME = new CommandError('ERR Client names cannot contain spaces, newlines or special characters.');

/** The name itself if a connection may have it: it is printed in the lines of CLIENT LIST, between blanks. */
export function validateClientName(name: string): string {
  if (!/^[!-~]*$/.test(name)) throw BAD_NAME;
  return name;
}
