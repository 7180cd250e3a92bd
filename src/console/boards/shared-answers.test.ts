import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { SharedAnswers } from './shared-answers.js';

it('asks once for all who ask within a second, and again after it or after a change', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const answers = new SharedAnswers();
    let asked = 0;
    const ask = (): Promise<number> => answers.of('view', async () => ++asked);
    assert.deepEqual(await Promise.all([ask(), ask()]), [1, 1]);
    mock.timers.tick(999);
    assert.equal(await ask(), 1);
    assert.equal(await answers.of('rows', async () => 'other'), 'other');
    mock.timers.tick(1);
    assert.equal(await ask(), 2);
    answers.clear();
    assert.equal(await ask(), 3);
  } finally {
    mock.timers.reset();
  }
});

it('does not keep failures', async () => {
  const answers = new SharedAnswers();
  await assert.rejects(
    answers.of('view', () => Promise.reject(new Error('away'))),
    /away/,
  );
  assert.equal(await answers.of('view', async () => 'there'), 'there');
});
