import type { ClientClass } from '../connection/client-line.js';
import type { FollowSetting } from './settings.js';

/**
 * How many bytes may wait to be sent to a client: never more than `hard`, and more than `soft` only for `softMs`. 0
 * is no limit.
 */
export interface OutputLimit {
  readonly hard: number;
  readonly soft: number;
  readonly softMs: number;
}

const NO_LIMIT: OutputLimit = { hard: 0, soft: 0, softMs: 0 };

/** The parsed value of `client-output-buffer-limit`. */
export class OutputLimits {
  #byClass: Record<ClientClass, OutputLimit> = {
    normal: NO_LIMIT,
    replica: NO_LIMIT,
    pubsub: NO_LIMIT,
    // Not configurable: a master is treated as a normal client.
    master: NO_LIMIT,
  };

  constructor(follow: FollowSetting) {
    follow('client-output-buffer-limit', (text) => {
      const words = text.split(' ');
      for (let i = 0; i + 3 < words.length; i += 4) {
        const clientClass = words[i] === 'slave' ? 'replica' : (words[i] as ClientClass);
        const [hard, soft, seconds] = words.slice(i + 1, i + 4).map(Number) as [number, number, number];
        this.#byClass[clientClass] = { hard, soft, softMs: seconds * 1000 };
      }
      this.#byClass.master = this.#byClass.normal;
    });
  }

  of(clientClass: ClientClass): OutputLimit {
    return this.#byClass[clientClass];
  }
}
