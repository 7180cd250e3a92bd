import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LuaError, LuaState, LuaSyntaxError, LuaTable, type LuaValue } from '../../../src/lua/index.js';
import { noRedisReason, type Server, startRedis } from '../../support/fleet/index.js';
import { RawClient } from './raw-client.js';
import { type Plain, plain } from './reply.js';

/** EVAL without an engine: a Lua state whose globals are protected as in Redis. */
class ScriptRunner {
  readonly #state: LuaState;

  constructor() {
    this.#state = new LuaState();
    const { globals } = this.#state;
    const guard = new LuaTable();
    this.#state.registerFunction(
      '__index',
      (...args) =>
        this.#state.fail(`Script attempted to access nonexistent global variable '${String(args[1])}'`),
      guard,
    );
    globals.metatable = guard;
    this.#state.protect(globals);
    this.#state.protect(this.#state.stringMetatable);
  }

  /** The reply that Redis would send, in the form that {@link comparable} returns. */
  run(source: string): unknown {
    try {
      const chunk = this.#state.compile(source, '@user_script');
      return convert(this.#state.run(chunk)[0]);
    } catch (error) {
      if (error instanceof LuaSyntaxError) {
        return { error: `ERR Error compiling script (new function): ${error.message}` };
      }
      if (!(error instanceof LuaError)) throw error;
      return { error: describeError(error) };
    }
  }
}

function describeError(error: LuaError): string {
  const { value, place } = error;
  const field = value instanceof LuaTable ? value.get('err') : undefined;
  const text = field === undefined ? `ERR ${textOf(value)}` : String(field);
  return place === undefined ? text : `${text} script: SHA, on ${place.chunkName}:${place.line}.`;
}

function textOf(value: LuaValue): string {
  return value === undefined ? 'nil' : String(value);
}

/** Redis's conversion of a Lua value to a reply. */
function convert(value: LuaValue): unknown {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'boolean':
      return value ? 1 : null;
    case 'number': {
      const integer = Number.isNaN(value)
        ? -(2 ** 63)
        : Math.max(-(2 ** 63), Math.min(2 ** 63, Math.trunc(value)));
      return integer === 0 ? 0 : value >= 2 ** 63 ? -(2 ** 63) : integer;
    }
    case 'string':
      return value;
    default:
      return value instanceof LuaTable ? convertTable(value) : null;
  }
}

function convertTable(table: LuaTable): unknown {
  const error = table.get('err');
  if (typeof error === 'string') return { error };
  const status = table.get('ok');
  if (typeof status === 'string') return status;
  const items: unknown[] = [];
  for (let i = 1; table.get(i) !== undefined; i++) items.push(convert(table.get(i)));
  return items;
}

/** A reply of Redis without the script's hash in error texts. */
function comparable(reply: Plain): unknown {
  if (reply instanceof Error)
    return { error: reply.message.replace(/ script: [0-9a-f]{40}/, ' script: SHA') };
  if (typeof reply === 'bigint') return Number(reply);
  return Array.isArray(reply) ? reply.map(comparable) : reply;
}

/** Runs each script in Redis and in our own Lua, and compares the results. */
export interface ScriptComparison {
  /** Returns the difference as text; empty when there is none. */
  differences(scripts: readonly string[]): Promise<string[]>;
}

class LiveComparison implements ScriptComparison {
  #server: Server | undefined;
  #client: RawClient | undefined;
  readonly #runner = new ScriptRunner();

  async start(): Promise<void> {
    this.#server = await startRedis();
    this.#client = await RawClient.connect(this.#server.port);
  }

  async stop(): Promise<void> {
    this.#client?.close();
    await this.#server?.stop();
  }

  async differences(scripts: readonly string[]): Promise<string[]> {
    const client = this.#client as RawClient;
    client.send(...scripts.map((script) => ['EVAL', Buffer.from(script, 'latin1'), '0']));
    const found: string[] = [];
    for (const script of scripts) {
      const redis = JSON.stringify(comparable(plain(await client.next())));
      const ours = JSON.stringify(this.#runner.run(script));
      if (ours !== redis) found.push(`${script}\n  redis: ${redis}\n  ours:  ${ours}`);
    }
    return found;
  }
}

/** A group of tests that share one redis-server. */
export function describeScripts(name: string, define: (comparison: ScriptComparison) => void): void {
  describe(name, { skip: noRedisReason ?? false }, () => {
    const comparison = new LiveComparison();
    before(() => comparison.start());
    after(() => comparison.stop());
    define(comparison);
  });
}

/** One test: every script has the same reply in Redis and in our Lua. */
export function sameReplies(comparison: ScriptComparison, name: string, scripts: readonly string[]): void {
  it(name, async () => {
    const differences = await comparison.differences(scripts);
    assert.equal(
      differences.length,
      0,
      `${differences.length} of ${scripts.length} differ\n${differences.join('\n')}`,
    );
  });
}
