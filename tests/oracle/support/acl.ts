import type { Case } from './cases.js';
import type { Command } from './command.js';
import { type Plain, plain, type Reply } from './reply.js';

/** Redis lists single commands in the order of a hash table with a random seed: words are compared in any order. */
function words(text: Plain): unknown {
  return typeof text === 'string' ? text.split(' ').sort() : sortedWords(text);
}

function sortedWords(value: Plain): unknown {
  if (value instanceof Map) return [...value].map(([key, each]) => [key, words(each)]);
  return Array.isArray(value) ? value.map(words) : value;
}

export function normalUser(reply: Reply): unknown {
  return [reply.type, words(plain(reply))];
}

/** ACL LIST and ACL GETUSER: commands may be in any order. */
export function described(send: Command, on?: string): Case {
  return { send, normalise: normalUser, ...(on === undefined ? {} : { on }) };
}

/** ACL LOG without ages, and without the values of clients that differ between two servers. */
export function logged(send: Command = 'ACL LOG'): Case {
  return { send, normalise: normalLog };
}

export function normalLog(reply: Reply): string {
  return reply.raw
    .toString('latin1')
    .replace(/age-seconds\r\n(\$\d+\r\n|,)[\d.e-]+/g, 'age-seconds ?')
    .replace(/\$\d+\r\nid=/g, 'id=')
    .replace(/\b(id|age|idle|fd|qbuf|qbuf-free|argv-mem|multi-mem|rbs|rbp|obl|oll|omem|tot-mem)=\d+/g, '$1=?')
    .replace(/:\d+ /g, ':? ');
}
