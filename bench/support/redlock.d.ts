/** The part of redlock 4 that the benchmark and the documentation use; the package has no types. */
declare module 'redlock' {
  interface Lock {
    unlock(): PromiseLike<unknown>;
  }

  export default class Redlock {
    constructor(
      clients: readonly object[],
      options?: { readonly retryCount?: number; readonly retryDelay?: number; readonly retryJitter?: number },
    );
    lock(resource: string, ttl: number): PromiseLike<Lock>;
  }
}
