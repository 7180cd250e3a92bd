/** An answer is used for this long, in ms: less than the time between two questions of one page. */
const KEPT_MS = 1_000;

/** Answers that several pages ask for within a second: the store is asked once. */
export class SharedAnswers {
  readonly #answers = new Map<string, Promise<unknown>>();

  /** The answer of this name, which `ask` finds out if it is not known. */
  of<Answer>(name: string, ask: () => Promise<Answer>): Promise<Answer> {
    const known = this.#answers.get(name) as Promise<Answer> | undefined;
    if (known !== undefined) return known;
    const answer = ask();
    this.#answers.set(name, answer);
    const forget = (): void => {
      if (this.#answers.get(name) === answer) this.#answers.delete(name);
    };
    answer.then(() => setTimeout(forget, KEPT_MS).unref(), forget);
    return answer;
  }

  /** After a change, nothing older must be shown. */
  clear(): void {
    this.#answers.clear();
  }
}
