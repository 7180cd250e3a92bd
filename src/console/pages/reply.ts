import { StoreError } from '../../store/index.js';
import type { Reply } from '../../store/transport.js';
import { toWire } from '../frame/wire-bytes.js';
import type { ShownReply } from '../types/commands.js';

const MAX_STRING = 16 * 1024;
const MAX_TOTAL = 512 * 1024;

/** A reply for the browser. Long strings are cut, and lists end when enough was taken; the lengths tell what is missing. */
export function shownReply(reply: Reply): ShownReply {
  let left = MAX_TOTAL;
  const visit = (value: Reply): ShownReply => {
    left -= 16;
    if (value === null) return { kind: 'null' };
    if (value instanceof StoreError) return { kind: 'error', message: value.message };
    if (Array.isArray(value)) {
      const elements: ShownReply[] = [];
      for (const element of value as readonly Reply[]) {
        if (left <= 0) break;
        elements.push(visit(element));
      }
      return { kind: 'list', elements, length: value.length };
    }
    if (typeof value === 'number' || typeof value === 'bigint')
      return { kind: 'integer', value: String(value) };
    const bytes = Buffer.from(value as Buffer);
    const part = bytes.subarray(0, Math.max(0, Math.min(MAX_STRING, left)));
    left -= part.length;
    return { kind: 'bytes', value: toWire(part), length: bytes.length };
  };
  return visit(reply);
}
