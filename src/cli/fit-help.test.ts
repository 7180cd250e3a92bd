import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BENCHMARK_HELP } from './benchmark/benchmark-help.js';
import { fitHelp } from './fit-help.js';
import { CLI_HELP } from './shell/cli-help.js';
import { SUBCOMMANDS } from './subcommands.js';

const HELP = `Usage: sorrel thing [--first] [--second]

Does a thing
and another one.

  --first X      what the first option does
                 with its value
  --second       more`;

test('a help text fits into the width of the terminal', () => {
  assert.equal(
    fitHelp(HELP, 46),
    `Usage: sorrel thing [--first] [--second]

Does a thing and another one.

  --first X      what the first option does
                 with its value
  --second       more`,
  );
  assert.deepEqual(fitHelp(HELP, 34).split('\n').slice(0, 2), [
    'Usage: sorrel thing [--first]',
    '[--second]',
  ]);
  assert.deepEqual(fitHelp(HELP, 36).split('\n').slice(-4), [
    '  --first X',
    '      what the first option does',
    '      with its value',
    '  --second       more',
  ]);
});

test('no line of any help text is too long for a terminal of 80 columns, or of 40 unless a word is', () => {
  for (const help of [CLI_HELP, BENCHMARK_HELP, ...SUBCOMMANDS.map((one) => one.help)]) {
    for (const line of fitHelp(help, undefined).split('\n'))
      assert.ok(line.length < 80 || !line.trim().includes(' '), line);
    for (const line of fitHelp(help, 40).split('\n'))
      assert.ok(line.length < 40 || !line.trim().includes(' '), line);
  }
});
