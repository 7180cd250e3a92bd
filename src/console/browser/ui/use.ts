import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, get, type Listeners, type Query, stream } from '../api.js';

export interface Loaded<Result> {
  readonly value: Result | undefined;
  readonly failure: Error | undefined;
  readonly isLoading: boolean;
  /** Loads again. The old value stays until the new one has arrived. */
  reload(): void;
}

/** Loads from the server when the component appears, and again when path or query change. */
export function useLoaded<Result>(path: string | undefined, query: Query = {}): Loaded<Result> {
  const [state, setState] = useState<{ value?: Result; failure?: Error; isLoading: boolean }>({
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    get<Result>(path, query, leaving.signal).then(
      (value) => setState({ value, isLoading: false }),
      (failure: Error) => {
        if (!leaving.signal.aborted) setState((before) => ({ ...before, failure, isLoading: false }));
      },
    );
    return () => leaving.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { value: state.value, failure: state.failure, isLoading: state.isLoading, reload };
}

const REFRESH_MS = 2_000;

/** Loads again a while after each answer, so that a slow server is not asked before it has answered; not while the page is hidden. */
export function useRefresh({ isLoading, reload }: Loaded<unknown>): void {
  useEffect(() => {
    if (isLoading) return;
    const reloadIfVisible = (): void => {
      if (document.hidden) document.addEventListener('visibilitychange', reload, { once: true });
      else reload();
    };
    const timer = setTimeout(reloadIfVisible, REFRESH_MS);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', reload);
    };
  }, [isLoading]);
}

const RETRY_MS = 2_000;

/** Listens to a stream while the component is there, and connects again when it breaks. Returns why it is broken now. */
export function useStream(path: string | undefined, query: Query, listeners: Listeners): Error | undefined {
  const [failure, setFailure] = useState<Error>();
  const latest = useRef(listeners);
  latest.current = listeners;
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    void listen(path, query, () => latest.current, leaving.signal, setFailure);
    return () => leaving.abort();
  }, [key]);
  return failure;
}

async function listen(
  path: string,
  query: Query,
  listeners: () => Listeners,
  signal: AbortSignal,
  report: (failure: Error | undefined) => void,
): Promise<void> {
  const current: Listeners = new Proxy(
    {},
    {
      get: (_, event: string) => (data: never) => {
        report(undefined);
        listeners()[event]?.(data);
      },
    },
  );
  while (!signal.aborted) {
    try {
      await stream(path, query, current, signal);
    } catch (error) {
      if (signal.aborted) return;
      report(error as Error);
      if (error instanceof ApiFailure && error.status >= 400 && error.status < 422) return;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
