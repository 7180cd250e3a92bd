import type { Bytes } from '../../bytes/bytes.js';
import { errors } from '../errors.js';

/** An end of a list. */
export type Side = 'left' | 'right';

export function parseSide(word: Bytes): Side {
  if (word.is('left')) return 'left';
  if (word.is('right')) return 'right';
  throw errors.syntax;
}
