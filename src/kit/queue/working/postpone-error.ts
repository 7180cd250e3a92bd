import { KitError } from '../../foundation/index.js';

/**
 * A handler throws this when its task cannot be done yet: it runs again after `delay` ms, and this attempt does not count.
 *
 * @example
 * const email = defineTask<{ to: string }>('email');
 * const handler = email.handle(async ({ to }) => {
 *   const response = await fetch('https://mail.example', { method: 'POST', body: to });
 *   if (response.status === 429) throw new PostponeError(60_000, 'the mail server is busy');
 * });
 */
export class PostponeError extends Error {
  override readonly name = 'PostponeError';
  readonly delay: number;

  constructor(delay: number, message = `it can be done in ${delay} ms`) {
    super(message);
    if (!Number.isFinite(delay) || delay < 0) {
      throw new KitError('OPTION', `PostponeError: the delay must be a number of ms, not ${String(delay)}`);
    }
    // Without a delay, the task would be taken at once each time.
    this.delay = Math.max(1, Math.round(delay));
  }
}
