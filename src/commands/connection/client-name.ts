import { CommandError } from '../errors.js';

const BAD_NAME = new CommandError('ERR Client names cannot contain spaces, newlines or special characters.');

/** The name, if it is valid: CLIENT LIST prints it between spaces. */
export function validateClientName(name: string): string {
  if (!/^[!-~]*$/.test(name)) throw BAD_NAME;
  return name;
}
