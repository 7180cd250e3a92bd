import {
  type Context,
  context,
  propagation,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** As the W3C's propagator does it, which is in a package of its own. */
const traceParent: TextMapPropagator = {
  inject(from: Context, carrier: unknown, setter: TextMapSetter): void {
    const span = trace.getSpanContext(from);
    if (span !== undefined) setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`);
  },
  extract(into: Context, carrier: unknown, getter: TextMapGetter): Context {
    const [, traceId, spanId] = String(getter.get(carrier, 'traceparent') ?? '').split('-');
    if (traceId === undefined || spanId === undefined) return into;
    return trace.setSpanContext(into, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
  fields: () => ['traceparent'],
};

/** OpenTelemetry of this process, as a program sets it up, with the spans in memory. */
export class Tracing {
  readonly #spans = new InMemorySpanExporter();

  start(): void {
    const spanProcessors = [new SimpleSpanProcessor(this.#spans)];
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(traceParent);
  }

  stop(): void {
    trace.disable();
    context.disable();
    propagation.disable();
  }

  /** Forgets all spans. */
  reset(): void {
    this.#spans.reset();
  }

  get ended(): readonly ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  named(name: string): ReadableSpan[] {
    return this.ended.filter((span) => span.name === name);
  }
}
