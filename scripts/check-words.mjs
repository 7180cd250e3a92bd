/**
 * Checks that words which readers stumbled over stay out of code and prose (CONTRIBUTING.md, "Plain words"). The list holds
 * only words that are always wrong here; what reads badly in other ways is for a reviewer to find.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './steps.mjs';

/** A pattern, and what to write in its place. */
const WORDS = [
  [/\bso many\b/i, 'the number, or "N"'],
  [/\b(?:whoever|whomever|whom)\b/i, 'the client, the caller, code that …'],
  [/\b(?:somebody|someone)\b/i, 'a client, another process, another session'],
  [/\b(?:nobody|everybody)\b/i, 'no client, all clients'],
  [/\b(?:come|comes|came) to be\b/i, 'is created'],
  [/\bin earnest\b/i, 'in production'],
  [/\bas (?:it|they) comes?\b/i, 'by default'],
  [/\bwhat there is\b/i, 'features'],
  [/\bwork(?:s|ed|ing)? (?:it )?off\b/i, 'process'],
  [/\bin vain\b/i, 'without an answer'],
  [/\bthe notes\b/i, 'the guide'],
  [/\bfor ever\b/i, 'forever'],
  [/\bagain and again\b/i, 'repeatedly'],
  [/\blook-ups?\b/i, 'lookup'],
  [/\bone (?:byte|character) a (?:byte|character)\b/i, 'one byte per character'],
  [/\bMOST_[A-Z]/, 'MAX_'],
  [/\bLEAST_[A-Z]/, 'MIN_'],
  [/\b(?:most|least)[A-Z]\w+/, 'max…, min…'],
  [/\b\w+Wish\b/, '…Request'],
  [/\b(?:isKnowing|notInTime|usualLimit)\b/, 'what it knows, timedOut, defaultLimit'],
];

/** Redis's own texts, which stay letter for letter. */
const REDIS_TEXTS = ['It looks like somebody is sending POST'];

const FILES = /\.(?:ts|mts|mjs|js|lua|md|sh)$/;
const LEFT_OUT = /^(?:scripts\/check-words\.mjs|README\.zh-CN\.md|LICENSE)/;

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: projectRoot,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => FILES.test(path) && !LEFT_OUT.test(path));

const found = paths.flatMap(checkFile);
for (const line of found) console.error(line);
if (paths.length === 0) found.push('no file was checked');
if (found.length > 0) {
  console.error(`\n${found.length} places use words that this project avoids.`);
  process.exit(1);
}
console.log(`Plain words: ${paths.length} files checked.`);

function checkFile(path) {
  const lines = readFileSync(join(projectRoot, path), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    if (REDIS_TEXTS.some((text) => line.includes(text))) return [];
    return WORDS.filter(([pattern]) => pattern.test(line)).map(
      ([pattern, instead]) => `${path}:${index + 1}: "${pattern.exec(line)[0]}": write ${instead}`,
    );
  });
}
