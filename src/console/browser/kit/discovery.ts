import { useEffect, useState } from 'preact/hooks';
import type { DiscoveryProgress, KindInfo, KindsAnswer } from '../../types/boards.js';
import { get, stream } from '../api.js';

export interface Discovered {
  readonly kinds: readonly KindInfo[];
  /** From 0 to 1 while the store is searched; undefined if no search runs. */
  readonly share: number | undefined;
  readonly isComplete: boolean;
  readonly failure: Error | undefined;
  search(): void;
  stop(): void;
}

/** The components in the store. Searches it if that has not been done; the search ends when the page is left. */
export function useDiscovery(): Discovered {
  const [kinds, setKinds] = useState<readonly KindInfo[]>([]);
  const [share, setShare] = useState<number>();
  const [isComplete, setComplete] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const [turn, setTurn] = useState(0);
  const [running, setRunning] = useState<AbortController>();

  useEffect(() => {
    const leaving = new AbortController();
    const run = async (): Promise<void> => {
      const known = await get<KindsAnswer>('boards', {}, leaving.signal);
      setKinds(known.kinds);
      setComplete(known.isComplete);
      if (known.isComplete && turn === 0) return;
      setRunning(leaving);
      setShare(0);
      const onProgress = (progress: DiscoveryProgress): void => {
        setKinds(progress.kinds);
        setShare(progress.share);
        if (progress.isDone) setComplete(true);
      };
      await stream('boards/discover', {}, { progress: onProgress }, leaving.signal, { steady: true });
    };
    setFailure(undefined);
    run()
      .catch((error: Error) => {
        if (!leaving.signal.aborted) setFailure(error);
      })
      .finally(() => setShare(undefined));
    return () => leaving.abort();
  }, [turn]);

  return {
    ...{ kinds, share, isComplete, failure },
    search: () => setTurn((before) => before + 1),
    stop: () => running?.abort(),
  };
}
