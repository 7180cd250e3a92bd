/** The load cannot go on; the message is for the user. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}
