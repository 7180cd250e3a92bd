/**
 * A handler throws this when a retry would not help: the task is dead at once.
 *
 * @example
 * const email = defineTask<{ to: string }>('email', undefined, { attempts: 5 });
 * const handler = email.handle(({ to }) => {
 *   if (!to.includes('@')) throw new NoRetryError(`'${to}' is no address`);
 * });
 */
export class NoRetryError extends Error {
  override readonly name = 'NoRetryError';
}
