import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, withQueue } from '../../../tests/support/kit-queue.js';
import { prometheusText, queue } from './index.js';

test('the counts of queues are shown in the text format of Prometheus', () =>
  withQueue(async ({ mail, store }) => {
    await mail.addAll(note, [['a'], ['b'], ['c', { delay: 1_000 }]]);
    await mail.pause();
    const odd = queue(store, 'a "b"\\');
    const lines = (await prometheusText([mail, odd])).split('\n');
    assert.equal(lines.at(-1), '', 'it ends with a line feed');
    assert.deepEqual(lines.slice(0, 4), [
      '# HELP sorrel_queue_tasks Tasks by their state; of completed and dead ones those that are kept.',
      '# TYPE sorrel_queue_tasks gauge',
      'sorrel_queue_tasks{queue="mail",state="waiting"} 2',
      'sorrel_queue_tasks{queue="mail",state="delayed"} 1',
    ]);
    assert.ok(lines.includes('sorrel_queue_tasks{queue="a \\"b\\"\\\\",state="dead"} 0'));
    assert.ok(lines.includes('sorrel_queue_paused{queue="mail"} 1'));
    assert.ok(lines.includes('sorrel_queue_paused{queue="a \\"b\\"\\\\"} 0'));
    for (const kind of ['HELP', 'TYPE'])
      assert.equal(lines.filter((line) => line.startsWith(`# ${kind} `)).length, 4, 'once for each metric');
    assert.deepEqual(await prometheusText(mail), await prometheusText([mail]));
    await assert.rejects(prometheusText([mail, queue(store, 'mail', { prefix: 'other' })]), {
      code: 'OPTION',
      message: /label queue="mail"/,
    });
    await assert.rejects(prometheusText('mail' as never), { code: 'OPTION' });
  }));
