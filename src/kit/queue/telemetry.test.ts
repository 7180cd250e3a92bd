import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { context, metrics, propagation, type Span, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { withQueue } from '../../../tests/support/kit-queue.js';
import { defineTask, flow } from './index.js';

const email = defineTask<string, string>('email');
const spans = new InMemorySpanExporter();
const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 3_600_000 });
const meters = new MeterProvider({ readers: [reader] });

/** As the W3C's propagator does it, which is in a package of its own. */
const traceParent = {
  inject(
    from: ReturnType<typeof context.active>,
    carrier: object,
    setter: { set: (...args: never[]) => void },
  ) {
    const span = trace.getSpanContext(from);
    if (span === undefined) return;
    const set = setter.set as (carrier: object, key: string, value: string) => void;
    set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`);
  },
  extract(
    into: ReturnType<typeof context.active>,
    carrier: object,
    getter: { get: (...args: never[]) => unknown },
  ) {
    const get = getter.get as (carrier: object, key: string) => string | undefined;
    const [, traceId, spanId] = get(carrier, 'traceparent')?.split('-') ?? [];
    if (traceId === undefined || spanId === undefined) return into;
    return trace.setSpanContext(into, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
  fields: () => ['traceparent'],
};

before(() => {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(traceParent);
  metrics.setGlobalMeterProvider(meters);
});
after(async () => {
  trace.disable();
  context.disable();
  propagation.disable();
  metrics.disable();
  await meters.shutdown();
});
beforeEach(() => spans.reset());

const spanNamed = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name);

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
    const [request] = spanNamed('request');
    const [send] = spanNamed('send mail');
    const [process] = spanNamed('process mail');
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
    const attempts = spanNamed('process mail');
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
    const sends = spanNamed('send mail');
    const batch = spanNamed('process mail').find(({ links }) => links.length > 0);
    assert.equal(batch?.attributes['messaging.batch.message_count'], 4);
    const linked = batch?.links.map((link) => link.context.spanId);
    const [one, two, three] = sends.map((span) => span.spanContext().spanId);
    assert.deepEqual(linked, [one, two, two, three]);
    const last = spanNamed('process mail').at(-1);
    assert.equal(last?.parentSpanContext?.spanId, three);
  }));

test('an error while adding ends the span', () =>
  withQueue(async ({ mail }) => {
    await assert.rejects(mail.add(email, 'a', { after: ['unknown'] }), { code: 'NOTASK' });
    assert.equal(spanNamed('send mail')[0]?.status.code, 2);
  }));

test('without a propagator or a manager of contexts, spans are still made', () =>
  withQueue(async ({ mail, clock }) => {
    propagation.disable();
    context.disable();
    await using _worker = mail.work(email.handle((to) => to));
    const task = await mail.add(email, 'a');
    await clock.run(1);
    assert.equal(await task.result(), 'a');
    assert.equal(spanNamed('process mail').length, 1);
  }));
