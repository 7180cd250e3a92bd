import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { context, metrics, propagation, type Span, SpanKind, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { withQueue } from '../../../tests/support/kit-queue.js';
import { Tracing } from '../../../tests/support/telemetry.js';
import { defineTask, flow } from './index.js';

const email = defineTask<string, string>('email');
const tracing = new Tracing();
const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 3_600_000 });
const meters = new MeterProvider({ readers: [reader] });

before(() => {
  tracing.start();
  metrics.setGlobalMeterProvider(meters);
});
after(async () => {
  tracing.stop();
  metrics.disable();
  await meters.shutdown();
});
beforeEach(() => tracing.reset());

test('the trace of the caller goes on in the handler, and in what the handler calls', () =>
  withQueue(async ({ mail }) => {
    let inHandler: Span | undefined;
    await using worker = mail.work(
      email.handle((to) => {
        inHandler = trace.getActiveSpan();
        return `sent to ${to}`;
      }),
    );
    const tracer = trace.getTracer('test');
    const task = await tracer.startActiveSpan('request', async (span) => {
      const added = await mail.add(email, 'ann', { id: 'mine' });
      span.end();
      return added;
    });
    assert.equal(await task.result(), 'sent to ann');
    await worker.stop();
    const [request] = tracing.named('request');
    const [send] = tracing.named('send mail');
    const [process] = tracing.named('process mail');
    assert.ok(request && send && process);
    assert.equal(send.parentSpanContext?.spanId, request.spanContext().spanId);
    assert.equal(process.parentSpanContext?.spanId, send.spanContext().spanId);
    assert.equal(process.spanContext().traceId, request.spanContext().traceId);
    assert.equal(inHandler?.spanContext().spanId, process.spanContext().spanId);
    assert.deepEqual([send.kind, process.kind], [SpanKind.PRODUCER, SpanKind.CONSUMER]);
    assert.equal(send.attributes['messaging.message.id'], 'mine');
    assert.deepEqual(process.attributes, {
      'messaging.system': 'sorrel',
      'messaging.destination.name': 'mail',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
      'messaging.message.id': 'mine',
      'sorrel.queue.task': 'email',
      'sorrel.queue.attempt': 1,
    });
  }));

test('a failed attempt is an error of its span, and attempts are counted by their outcome', () =>
  withQueue(async ({ mail, clock }) => {
    await using _worker = mail.work(
      email.handle(() => {
        throw new Error('no network');
      }),
    );
    const task = await mail.add(email, 'bob', { attempts: 2, backoff: { kind: 'fixed', delay: 10 } });
    await clock.run(100);
    await assert.rejects(task.result(), { code: 'DEAD' });
    const attempts = tracing.named('process mail');
    assert.equal(attempts.length, 2);
    for (const { status, events } of attempts) {
      assert.deepEqual(status, { code: 2, message: 'no network' });
      assert.equal(events[0]?.name, 'exception');
    }
    await reader.forceFlush();
    const found = points.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? [];
    const counts =
      found.find(({ descriptor }) => descriptor.name === 'sorrel.queue.attempts')?.dataPoints ?? [];
    const byOutcome = counts.map(({ attributes, value }) => [attributes['sorrel.queue.outcome'], value]);
    assert.deepEqual(byOutcome, [
      ['completed', 1],
      ['retry', 1],
      ['dead', 1],
    ]);
    const duration = found.find(({ descriptor }) => descriptor.name === 'sorrel.queue.duration');
    assert.equal(duration?.descriptor.unit, 's');
  }));

test('a batch is linked to the traces of its tasks, and flows carry theirs', () =>
  withQueue(async ({ mail, clock }) => {
    await mail.add(email, 'a');
    await mail.addAll(email, [['b'], ['c']]);
    const parent = defineTask<null>('parent');
    await mail.addFlow(flow(parent, null, [flow(email, 'd')]));
    await using _worker = mail.work([
      email.handleBatch((tasks) => tasks.map(({ data }) => data), { size: 10 }),
      parent.handle(() => undefined),
    ]);
    await clock.run(10);
    const sends = tracing.named('send mail');
    const batch = tracing.named('process mail').find(({ links }) => links.length > 0);
    assert.equal(batch?.attributes['messaging.batch.message_count'], 4);
    const linked = batch?.links.map((link) => link.context.spanId);
    const [one, two, three] = sends.map((span) => span.spanContext().spanId);
    assert.deepEqual(linked, [one, two, two, three]);
    const last = tracing.named('process mail').at(-1);
    assert.equal(last?.parentSpanContext?.spanId, three);
  }));

test('an error while adding ends the span', () =>
  withQueue(async ({ mail }) => {
    await assert.rejects(mail.add(email, 'a', { after: ['unknown'] }), { code: 'NOTASK' });
    assert.equal(tracing.named('send mail')[0]?.status.code, 2);
  }));

test('without a propagator or a manager of contexts, spans are still made', () =>
  withQueue(async ({ mail, clock }) => {
    propagation.disable();
    context.disable();
    await using _worker = mail.work(email.handle((to) => to));
    const task = await mail.add(email, 'a');
    await clock.run(1);
    assert.equal(await task.result(), 'a');
    assert.equal(tracing.named('process mail').length, 1);
  }));
