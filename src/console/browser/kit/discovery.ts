import { useEffect, useState } from 'preact/hooks';
import type { DiscoveryProgress, KindInfo, KindsAnswer } from '../../types/boards.js';
import { get, stream } from '../api.js';

export interface Discovered {
  readonly kinds: readonly KindInfo[];
  /** From 0 to 1 while the store is searched; undefined if no search runs. */
  readonly share: number | undefined;
  readonly isComplete: boolean;
  readonly isBrisk: boolean;
  readonly failure: Error | undefined;
  /** Searches the whole store again. */
  again(): void;
  /** Goes on with a search that was stopped. */
  resume(): void;
  /** Goes on, and takes more of the server's time. */
  hurry(): void;
  stop(): void;
}

/** What a person asked for; a new object for each request. */
interface Request {
  readonly kind: 'none' | 'again' | 'resume' | 'hurry';
}

/**
 * The components in the store. Searches it if that has not been done; the search stops when the page is left, and the next page goes
 * on with it.
 */
export function useDiscovery(): Discovered {
  const [kinds, setKinds] = useState<readonly KindInfo[]>([]);
  const [share, setShare] = useState<number>();
  const [isComplete, setComplete] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const [request, setRequest] = useState<Request>({ kind: 'none' });
  const [running, setRunning] = useState<AbortController>();

  useEffect(() => {
    const leaving = new AbortController();
    const run = async (): Promise<void> => {
      const known = await get<KindsAnswer>('boards', {}, leaving.signal);
      setKinds(known.kinds);
      setComplete(known.isComplete);
      if (known.isComplete && request.kind === 'none') return;
      setRunning(leaving);
      setShare((before) => before ?? 0);
      const onProgress = (progress: DiscoveryProgress): void => {
        setKinds(progress.kinds);
        setShare(progress.share);
        if (progress.isDone) setComplete(true);
      };
      const how = {
        ...(request.kind === 'again' ? { again: true } : {}),
        ...(request.kind === 'hurry' ? { speed: 'brisk' } : {}),
      };
      await stream('boards/discover', how, { progress: onProgress }, leaving.signal, { steady: true });
    };
    setFailure(undefined);
    run()
      .catch((error: Error) => {
        if (!leaving.signal.aborted) setFailure(error);
      })
      .finally(() => setRunning((current) => (current === leaving ? undefined : current)));
    return () => leaving.abort();
  }, [request]);

  const isRunning = running !== undefined;
  return {
    ...{ kinds, share: isRunning ? (share ?? 0) : undefined, isComplete, failure },
    isBrisk: request.kind === 'hurry',
    again: () => setRequest({ kind: 'again' }),
    resume: () => setRequest({ kind: 'resume' }),
    hurry: () => setRequest({ kind: 'hurry' }),
    stop: () => running?.abort(),
  };
}
