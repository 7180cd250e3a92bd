import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { globMatchText } from '../../bytes/glob.js';

/** The files that `include` names: with wildcards all existing matches, in order, possibly none. */
export function includedFiles(pattern: string): string[] {
  return /[*?[]/.test(pattern) ? matching(pattern) : [pattern];
}

function matching(pattern: string): string[] {
  const folder = dirname(pattern);
  const name = pattern.slice(pattern.lastIndexOf('/') + 1);
  const folders = pattern.includes('/') ? includedFiles(folder) : ['.'];
  return folders.flatMap((each) => {
    const names = namesIn(each).filter((candidate) => isMatch(name, candidate));
    return names.sort().map((found) => (each === '/' ? `/${found}` : `${each}/${found}`));
  });
}

/** As in a shell, a wildcard does not match the leading dot of a hidden file. */
function isMatch(name: string, candidate: string): boolean {
  if (candidate.startsWith('.') && !name.startsWith('.')) return false;
  return globMatchText(name, candidate);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
