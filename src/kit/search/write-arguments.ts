import type { Entries } from './entries.js';

type Value = string | number;

/** The inputs of index.lua for one document. */
export function writeArguments({ source, fields, words, ofField, impactOf, sets, scores }: Entries) {
  const values: Value[] = [...fields];
  pushWords(values, words, impactOf);
  pushWords(values, ofField, impactOf);
  for (const part of sets) values.push(part);
  for (const part of scores) values.push(part);
  return {
    source,
    fields: fields.length,
    words: words.size,
    postings: ofField.size,
    sets: sets.length,
    values,
  };
}

function pushWords(values: Value[], words: ReadonlyMap<string, number>, impactOf: Entries['impactOf']): void {
  for (const word of words.keys()) values.push(word);
  if (impactOf === undefined) return;
  for (const frequency of words.values()) values.push(impactOf(frequency));
}

/** Documents that are indexed together. */
export class Batch {
  readonly entries: (readonly [id: string, entries: Entries])[] = [];
  /** Words of the documents and other entries: about how many values will be written. */
  size = 0;

  add(id: string, entries: Entries): void {
    this.entries.push([id, entries]);
    this.size += entries.words.size + entries.ofField.size + entries.sets.length + entries.scores.length;
  }

  /** The values of index-new.lua. */
  values(isRanked: boolean): Value[] {
    const values: Value[] = [isRanked ? 1 : 0, this.entries.length, 0, 0];
    const [words, scored, sets] = [new Groups(), new Groups(), new Groups()];
    for (const [id, { source, fields, impactOf, ...entries }] of this.entries) {
      values.push(id, source, fields.length);
      for (const field of fields) values.push(field);
      const postings = impactOf === undefined ? sets : scored;
      for (const [word, frequency] of entries.words) words.add(word, impactOf?.(frequency), id);
      for (const [part, frequency] of entries.ofField) postings.add(part, impactOf?.(frequency), id);
      for (const part of entries.sets) sets.add(part, undefined, id);
      for (let at = 0; at < entries.scores.length; at += 2) {
        scored.add(entries.scores[at] as string, entries.scores[at + 1], id);
      }
    }
    [values[2], values[3]] = [words.size, scored.size];
    for (const groups of [words, scored, sets]) groups.pushTo(values);
    return values;
  }
}

/** Ids by the key that they are added to, with their scores. */
class Groups {
  readonly #values = new Map<string, Value[]>();

  get size(): number {
    return this.#values.size;
  }

  add(key: string, score: Value | undefined, id: string): void {
    const known = this.#values.get(key);
    if (known !== undefined) {
      if (score !== undefined) known.push(score);
      known.push(id);
    } else {
      this.#values.set(key, score === undefined ? [id] : [score, id]);
    }
  }

  pushTo(values: Value[]): void {
    for (const [key, list] of this.#values) {
      values.push(key, list.length);
      for (const value of list) values.push(value);
    }
  }
}
