import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoreError } from '../../store/index.js';
import {
  abortSignal,
  callback,
  flag,
  integer,
  KitError,
  keyNaming,
  listener,
  milliseconds,
  oneOf,
  optional,
  positive,
  resolveOptions,
  ruled,
  text,
} from './index.js';

const RULES = {
  prefix: text('lock'),
  lease: milliseconds(30_000, { min: 1 }),
  wait: milliseconds(0, { infinite: true }),
  fair: flag(false),
  limit: integer(1, { min: 1, max: 9 }),
  rate: positive(1),
  mode: oneOf(['fast', 'safe'], 'safe'),
  onEvent: optional(callback()),
  signal: optional(abortSignal()),
  even: ruled<number>((value) => (Number(value) % 2 === 0 ? undefined : 'must be even'), 2),
};

function messageOf(given: object): string {
  try {
    resolveOptions('thing', given, RULES);
  } catch (error) {
    assert.ok(error instanceof KitError && error instanceof StoreError && error.code === 'OPTION');
    return error.message;
  }
  return 'accepted';
}

describe('Options', () => {
  it('that are not given have their defaults', () => {
    assert.deepEqual(resolveOptions('thing', { lease: 5, fair: undefined }, RULES), {
      prefix: 'lock',
      lease: 5,
      wait: 0,
      fair: false,
      limit: 1,
      rate: 1,
      mode: 'safe',
      onEvent: undefined,
      signal: undefined,
      even: 2,
    });
  });

  it('without a default are required', () => {
    assert.throws(() => resolveOptions('thing', {}, { name: text() }), {
      code: 'OPTION',
      message: 'thing needs the option `name`',
    });
  });

  it('that are unknown are refused, with a suggestion', () => {
    const known = 'it takes prefix, lease, wait, fair, limit, rate, mode, onEvent, signal, even';
    assert.equal(messageOf({ leese: 1 }), `thing has no option 'leese': did you mean 'lease'? ${known}`);
    assert.equal(messageOf({ Fair: true }), `thing has no option 'Fair': did you mean 'fair'? ${known}`);
    assert.equal(messageOf({ lmiit: 1 }), `thing has no option 'lmiit': did you mean 'limit'? ${known}`);
    assert.equal(messageOf({ colour: 'red' }), `thing has no option 'colour': ${known}`);
  });

  it('with an invalid value are refused, with the valid values', () => {
    assert.equal(messageOf({ prefix: '' }), "thing: `prefix` must be a string that is not empty, not ''");
    assert.equal(
      messageOf({ lease: 0 }),
      'thing: `lease` must be a number of whole milliseconds of at least 1, not 0',
    );
    assert.equal(
      messageOf({ lease: 1.5 }),
      'thing: `lease` must be a number of whole milliseconds of at least 1, not 1.5',
    );
    assert.match(messageOf({ lease: Number.POSITIVE_INFINITY }), /not Infinity$/);
    assert.match(messageOf({ wait: Number.NaN }), /of at least 0, or Infinity, not NaN$/);
    assert.equal(messageOf({ fair: 1 }), 'thing: `fair` must be true or false, not 1');
    assert.equal(messageOf({ limit: 10 }), 'thing: `limit` must be a whole number from 1 to 9, not 10');
    assert.equal(messageOf({ rate: 0 }), 'thing: `rate` must be a number above 0, not 0');
    assert.equal(messageOf({ mode: 'slow' }), "thing: `mode` must be one of fast, safe, not 'slow'");
    assert.equal(messageOf({ onEvent: {} }), 'thing: `onEvent` must be a function, not an object');
    assert.equal(messageOf({ signal: null }), 'thing: `signal` must be an AbortSignal, not null');
    assert.equal(messageOf({ even: 3 }), 'thing: `even` must be even, not 3');
    assert.equal(messageOf([]), 'thing: options must be an object such as { prefix: … }');
  });

  it('that are right are accepted', () => {
    const { signal } = new AbortController();
    assert.equal(
      messageOf({
        wait: Number.POSITIVE_INFINITY,
        mode: 'fast',
        onEvent: () => {},
        signal,
        rate: 0.5,
        limit: 9,
      }),
      'accepted',
    );
  });
});

describe('Keys', () => {
  it('of one name are in one slot, whatever the name', () => {
    const keysOf = keyNaming('thing', 'lock', ['holds', 'queue']);
    assert.deepEqual(keysOf('a b'), { holds: 'lock:{a b}:holds', queue: 'lock:{a b}:queue' });
    for (const name of ['x', 'x}', '{x', '{}', 'x}{y', '酸模']) {
      const tags = Object.values(keysOf(name)).map(hashTag);
      assert.equal(new Set(tags).size, 1);
      assert.notEqual(tags[0], undefined, name);
    }
  });

  it('refuse names without characters to hash, and prefixes with braces', () => {
    const keysOf = keyNaming('thing', 'lock', ['holds']);
    assert.throws(() => keysOf(''), /thing: a name must be a non-empty string that does not begin with '}'/);
    assert.throws(() => keysOf('}x'), KitError);
    assert.throws(() => keyNaming('thing', 'a{', ['x']), /`prefix` must not contain braces, not 'a{'/);
  });
});

/** The hash tag of a key, or the whole key. */
function hashTag(key: string): string | undefined {
  const start = key.indexOf('{');
  const end = key.indexOf('}', start + 1);
  return start >= 0 && end > start + 1 ? key.slice(start + 1, end) : undefined;
}

describe('A listener', () => {
  it('that throws is reported as uncaught, and its component goes on', async () => {
    const given: unknown[] = [];
    const rules = { onError: listener<(error: unknown, number: number) => void>(() => {}) };
    const { onError } = resolveOptions(
      'work',
      {
        onError: (...args: unknown[]) => {
          given.push(args);
          throw new Error('from the listener');
        },
      },
      rules,
    );
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    try {
      const reported = new Promise<Error>((resolve) => process.once('uncaughtException', resolve));
      onError('an error', 5);
      assert.equal((await reported).message, 'from the listener');
    } finally {
      for (const other of others) process.on('uncaughtException', other);
    }
    assert.deepEqual(given, [['an error', 5]]);
    assert.throws(() => resolveOptions('work', { onError: 5 }, rules), {
      code: 'OPTION',
      message: /a function/,
    });
    assert.doesNotThrow(() => resolveOptions('work', {}, rules).onError('an error', 5));
  });
});
