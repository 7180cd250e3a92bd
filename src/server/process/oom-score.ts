import { readFileSync, writeFileSync } from 'node:fs';
import { SettingError } from '../../commands/config/kinds.js';
import type { Settings } from '../../commands/config/settings.js';

const PATH = '/proc/self/oom_score_adj';

/**
 * `oom-score-adj`: tells Linux how soon to kill this process when memory runs out. Of the three values the first is
 * for a master, the second for a replica, the third for child processes (`startJobProcess`). When the setting is turned off, the original
 * score is restored.
 */
export class OomScore {
  readonly #path: string;
  readonly #settings: Settings;
  /** The score before it was adjusted; undefined while it is not adjusted. */
  #base: number | undefined;

  constructor(settings: Settings, path = PATH) {
    this.#settings = settings;
    this.#path = path;
    const apply = (): void => this.#apply();
    for (const name of ['oom-score-adj', 'oom-score-adj-values']) settings.onChange(name, apply);
    settings.onChange('replicaof', () => this.#applyIfPossible());
  }

  /** A failure is ignored: the server can still become a replica or a master. */
  #applyIfPossible(): void {
    try {
      this.#apply();
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
    }
  }

  /** Adjusts the score of a child process. A failure is ignored. */
  adjustChild(pid: number): void {
    if (this.#base === undefined) return;
    try {
      writeFileSync(this.#path.replace('self', String(pid)), String(this.#scoreOf('child', this.#base)));
    } catch {
      // The process may have ended, or may not be adjusted.
    }
  }

  #scoreOf(kind: 'master' | 'replica' | 'child', base: number): number {
    const values = this.#settings.text('oom-score-adj-values').split(' ');
    const value = Number(values[['master', 'replica', 'child'].indexOf(kind)]);
    const wanted = this.#settings.text('oom-score-adj') === 'absolute' ? value : base + value;
    return Math.max(-1000, Math.min(1000, wanted));
  }

  #apply(): void {
    const mode = this.#settings.text('oom-score-adj');
    if (mode === 'no' && this.#base === undefined) return;
    try {
      this.#base ??= Number(readFileSync(this.#path, 'latin1'));
      const kind = this.#settings.text('replicaof') === '' ? 'master' : 'replica';
      const score = mode === 'no' ? this.#base : this.#scoreOf(kind, this.#base);
      writeFileSync(this.#path, String(score));
    } catch {
      throw new SettingError('Failed to apply new oom_score_adj configuration, check server logs.');
    }
    if (mode === 'no') this.#base = undefined;
  }
}
