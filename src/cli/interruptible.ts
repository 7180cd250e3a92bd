/** Turns Ctrl-C and SIGTERM into an aborted signal, so that the work ends in order. `end` is called when it is over. */
export function interruptible(message = 'interrupted'): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new Error(message));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    end: () => {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    },
  };
}
