/**
 * Traces and metrics through OpenTelemetry. A program that registers an OpenTelemetry SDK makes it known to all copies of
 * `@opentelemetry/api` by one global symbol, `opentelemetry.js.api.1`. The functions here use what is registered there, so
 * nothing is imported: programs without OpenTelemetry pay nothing, and bundlers see no dependency.
 */

/** The parts of `@opentelemetry/api` that are used. */
interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
  deleteValue(key: symbol): Context;
}

type Attributes = Readonly<Record<string, string | number>>;

interface Span {
  spanContext(): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(error: Error | string): void;
  setAttribute(name: string, value: string | number): unknown;
  end(): void;
}

interface SpanOptions {
  readonly kind: number;
  readonly attributes: Attributes;
  readonly links?: readonly { readonly context: unknown }[];
}

interface Meter {
  createCounter(name: string, options: object): { add(value: number, attributes: Attributes): void };
  createHistogram(name: string, options: object): { record(value: number, attributes: Attributes): void };
}

interface Registered {
  readonly trace?: {
    getTracer(name: string): { startSpan(name: string, options: SpanOptions, context: Context): Span };
  };
  readonly context?: { active(): Context; with<T>(context: Context, work: () => T): T };
  readonly propagation?: {
    inject(context: Context, carrier: Record<string, string>, setter: object): void;
    extract(context: Context, carrier: object, getter: object): Context;
  };
  readonly metrics?: { getMeter(name: string): Meter };
}

const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');
const SCOPE = 'sorrel/kit/queue';
const PRODUCER = 3;
const CONSUMER = 4;
const ERROR = 2;

function registered(): Registered | undefined {
  return (globalThis as { readonly [REGISTRY]?: Registered })[REGISTRY];
}

/** The context of a program that has registered no manager of contexts. */
class PlainContext implements Context {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): Context {
    return new PlainContext(new Map(this.#values).set(key, value));
  }

  deleteValue(key: symbol): Context {
    const values = new Map(this.#values);
    values.delete(key);
    return new PlainContext(values);
  }
}

const SETTER = {
  set(carrier: Record<string, string>, key: string, value: string): void {
    carrier[key] = value;
  },
};

const GETTER = {
  get: (carrier: Readonly<Record<string, string>>, key: string): string | undefined => carrier[key],
  keys: (carrier: object): string[] => Object.keys(carrier),
};

export type Carrier = Readonly<Record<string, string>>;

/** Tasks are being added: a span of kind PRODUCER, whose context goes with the tasks. */
export interface Sending {
  /** To be stored with the tasks. */
  readonly carrier: Carrier | undefined;
  /** All tasks were added, or an error happened. */
  end(ids: readonly string[], error?: unknown): void;
}

/** Undefined if no SDK is registered. */
export function beginSending(queue: string, count: number): Sending | undefined {
  const { trace, context, propagation } = registered() ?? {};
  if (trace === undefined) return undefined;
  const parent = context?.active() ?? new PlainContext();
  const options = { kind: PRODUCER, attributes: attributesOf(queue, 'send', count) };
  const span = trace.getTracer(SCOPE).startSpan(`send ${queue}`, options, parent);
  const carrier: Record<string, string> = {};
  propagation?.inject(parent.setValue(SPAN, span), carrier, SETTER);
  return {
    carrier: Object.keys(carrier).length === 0 ? undefined : carrier,
    end(ids, error) {
      if (ids.length === 1) span.setAttribute('messaging.message.id', ids[0] as string);
      endSpan(span, error);
    },
  };
}

/** A task as its span describes it. */
export interface TracedTask {
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  readonly carrier: Carrier | undefined;
}

/** An attempt at tasks: a span of kind CONSUMER, and metrics. */
export interface Processing {
  /** Runs the handler in the context of the span. */
  run<T>(work: () => Promise<T>): Promise<T>;
  end(outcomes: readonly string[], ms: number, error: unknown): void;
}

/** Undefined if no SDK is registered. The span continues the trace of one task, and is linked to those of several. */
export function beginProcessing(queue: string, tasks: readonly TracedTask[]): Processing | undefined {
  const { trace, context, propagation, metrics } = registered() ?? {};
  if (trace === undefined && metrics === undefined) return undefined;
  const active = context?.active() ?? new PlainContext();
  const contexts = tasks.map(({ carrier }) =>
    carrier === undefined || propagation === undefined
      ? active
      : propagation.extract(active, carrier, GETTER),
  );
  const [first] = tasks as readonly [TracedTask];
  const isOne = tasks.length === 1;
  const parent = isOne ? (contexts[0] as Context) : active;
  const span = trace?.getTracer(SCOPE).startSpan(
    `process ${queue}`,
    {
      kind: CONSUMER,
      attributes: {
        ...attributesOf(queue, 'process', tasks.length),
        'sorrel.queue.task': first.name,
        ...(isOne ? { 'messaging.message.id': first.id, 'sorrel.queue.attempt': first.attempt } : {}),
      },
      ...(isOne ? {} : { links: linksTo(contexts) }),
    },
    parent,
  );
  return {
    run(work) {
      if (span === undefined || context === undefined) return work();
      return context.with(parent.setValue(SPAN, span), work);
    },
    end(outcomes, ms, error) {
      if (span !== undefined) endSpan(span, error);
      if (metrics !== undefined) count(metrics, { queue, name: first.name, outcomes, ms });
    },
  };
}

function linksTo(contexts: readonly Context[]): { readonly context: unknown }[] {
  return contexts.flatMap((context) => {
    const span = context.getValue(SPAN) as Span | undefined;
    return span === undefined ? [] : [{ context: span.spanContext() }];
  });
}

function attributesOf(queue: string, operation: string, count: number): Attributes {
  return {
    'messaging.system': 'sorrel',
    'messaging.destination.name': queue,
    'messaging.operation.type': operation,
    'messaging.operation.name': operation,
    ...(count === 1 ? {} : { 'messaging.batch.message_count': count }),
  };
}

function endSpan(span: Span, error: unknown): void {
  if (error !== undefined) {
    span.recordException(error instanceof Error ? error : String(error));
    span.setStatus({ code: ERROR, message: error instanceof Error ? error.message : String(error) });
  }
  span.end();
}

interface Instruments {
  readonly attempts: ReturnType<Meter['createCounter']>;
  readonly duration: ReturnType<Meter['createHistogram']>;
}

const instruments = new WeakMap<object, Instruments>();

function instrumentsOf(provider: NonNullable<Registered['metrics']>): Instruments {
  const known = instruments.get(provider);
  if (known !== undefined) return known;
  const meter = provider.getMeter(SCOPE);
  const made = {
    attempts: meter.createCounter('sorrel.queue.attempts', {
      description:
        'Attempts at tasks, by their outcome: completed, retry, dead, release (postponed), crashed',
      unit: '{attempt}',
    }),
    duration: meter.createHistogram('sorrel.queue.duration', {
      description: 'Time of an attempt, or of an attempt at a batch',
      unit: 's',
    }),
  };
  instruments.set(provider, made);
  return made;
}

function count(
  provider: NonNullable<Registered['metrics']>,
  done: {
    readonly queue: string;
    readonly name: string;
    readonly outcomes: readonly string[];
    readonly ms: number;
  },
): void {
  const { attempts, duration } = instrumentsOf(provider);
  const common = { 'messaging.destination.name': done.queue, 'sorrel.queue.task': done.name };
  for (const outcome of done.outcomes) attempts.add(1, { ...common, 'sorrel.queue.outcome': outcome });
  duration.record(done.ms / 1000, common);
}
