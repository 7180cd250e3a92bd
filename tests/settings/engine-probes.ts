import { createHash } from 'node:crypto';
import { Settings } from '../../src/commands/config/settings.js';
import { Engine } from '../../src/engine/engine.js';
import { lastReply, type Probe, ProbedEngine, type Values } from './observing.js';

const DEBUG: Values = { 'enable-debug-command': 'yes' };

function pushes(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `RPUSH list ${'element'.repeat(10)}${i}`);
}

/** The keys that are left after one command has evicted some: their number, and a digest of their names. */
function keysAfterEviction(values: Values): readonly [number, string] {
  const probed = new ProbedEngine({ 'maxmemory-policy': 'allkeys-lru', ...values });
  for (let i = 0; i < 2000; i++) {
    if (i % 20 === 0) probed.clock.advance(1000);
    probed.ask(['SET', `key:${i}`, 'x'.repeat(200)]);
  }
  probed.ask(`CONFIG SET maxmemory ${probed.engine.usedMemory - 200_000}`, 'GET nothing');
  const names = probed.ask('KEYS *').join('').split('\r\n').sort();
  return [names.length, createHash('sha1').update(names.join(' ')).digest('hex')];
}

/** FREQ of a key that was read a hundred times, some minutes later. */
function frequency(values: Values): string | undefined {
  const probed = new ProbedEngine({ 'maxmemory-policy': 'allkeys-lfu', ...values });
  probed.ask('SET key value', ...Array.from({ length: 100 }, () => 'GET key'));
  probed.clock.advance(5 * 60_000);
  probed.engine.background.tick();
  return probed.ask('OBJECT FREQ key').at(-1);
}

/** The recorded command for a key that the engine itself deletes. */
function recordedOf(values: Values, ...lines: readonly string[]): readonly string[] {
  const probed = new ProbedEngine(values);
  probed.ask(...lines);
  probed.clock.advance(1000);
  probed.engine.background.tick();
  return probed.recorded;
}

/** Settings whose effect is visible in replies and records of an engine. */
export const engineProbes: Readonly<Record<string, Probe>> = {
  databases: lastReply('1', ['SELECT 1']),
  requirepass: lastReply('secret', ['GET key']),
  'acl-pubsub-default': lastReply('allchannels', ['ACL SETUSER alice', 'ACL LIST']),
  'acllog-max-len': {
    value: '1',
    observe: (values) => new ProbedEngine(values).ask('AUTH a x', 'AUTH b x', 'ACL LOG').at(-1)?.slice(0, 2),
  },
  'proto-max-bulk-len': lastReply('1mb', ['SETRANGE key 2000000 x']),
  hz: {
    value: '100',
    observe(values) {
      const settings = new Settings();
      for (const [name, text] of Object.entries(values)) settings.configure(name, text);
      let delay = 0;
      const cancel = (): void => {};
      const after = (ms: number): (() => void) => {
        delay = ms;
        return cancel;
      };
      const timers = { after, soon: () => cancel };
      new Engine({ settings, timers }).background.start();
      return delay;
    },
  },
  'slowlog-log-slower-than': lastReply('0', ['SET key value', 'SLOWLOG LEN']),
  'slowlog-max-len': lastReply('1', ['SET a 1', 'SET b 2', 'SLOWLOG LEN'], {
    'slowlog-log-slower-than': '0',
  }),
  'latency-monitor-threshold': {
    value: '1',
    observe: (values) =>
      new ProbedEngine({ ...DEBUG, ...values }).ask('DEBUG SLEEP 0.01', 'LATENCY LATEST').at(-1) === '*0\r\n',
  },
  'latency-tracking': {
    value: 'no',
    observe: (values) =>
      new ProbedEngine(values).ask('SET key value', 'LATENCY HISTOGRAM set').at(-1)?.includes('histogram'),
  },
  'latency-tracking-info-percentiles': {
    value: '42',
    observe: (values) =>
      new ProbedEngine(values)
        .ask('SET key value', 'INFO latencystats')
        .at(-1)
        ?.replace(/=[\d.]+|^\$\d+/g, ''),
  },
  'enable-debug-command': lastReply('yes', ['DEBUG SLEEP 0']),
  'enable-module-command': lastReply('yes', ['MODULE LOAD /nowhere.so']),
  'enable-protected-configs': lastReply('yes', ['CONFIG SET dbfilename other.rdb']),
  maxmemory: lastReply('100', ['SET key value']),
  'maxmemory-policy': lastReply('allkeys-lfu', ['SET key value', 'OBJECT FREQ key']),
  'maxmemory-samples': {
    value: '64',
    observe: (values) => keysAfterEviction({ 'maxmemory-eviction-tenacity': '100', ...values }),
  },
  'maxmemory-eviction-tenacity': {
    value: '100',
    observe: (values) => keysAfterEviction({ 'maxmemory-eviction-tenacity': '0', ...values }),
  },
  'lfu-log-factor': { value: '0', observe: frequency },
  'lfu-decay-time': { value: '0', observe: frequency },
  'lazyfree-lazy-eviction': {
    value: 'yes',
    observe(values) {
      const probed = new ProbedEngine({ 'maxmemory-policy': 'allkeys-random', ...values });
      probed.ask('SET key value', 'CONFIG SET maxmemory 100', 'GET key');
      return probed.recorded;
    },
  },
  'lazyfree-lazy-expire': { value: 'yes', observe: (values) => recordedOf(values, 'SET key value PX 1') },
  'lazyfree-lazy-server-del': {
    value: 'yes',
    observe(values) {
      const probed = new ProbedEngine(values);
      probed.ask('SET key old', 'SET other new');
      const [reply = ''] = probed.ask('DUMP other');
      const payload = reply.slice(reply.indexOf('\r\n') + 2, -2);
      const session = probed.ask(['RESTORE', 'key', '1', payload, 'REPLACE', 'ABSTTL']);
      return [session, probed.recorded];
    },
  },
  'hash-max-listpack-entries': lastReply('1', ['HSET key a 1 b 2', 'OBJECT ENCODING key']),
  'hash-max-listpack-value': lastReply('2', ['HSET key a abc', 'OBJECT ENCODING key']),
  'list-max-listpack-size': lastReply(
    '2',
    [...pushes(10), 'DEBUG LISTPACK list', 'DEBUG OBJECT list'],
    DEBUG,
  ),
  'list-compress-depth': lastReply('1', [...pushes(500), 'DEBUG OBJECT list'], DEBUG),
  'set-max-intset-entries': lastReply('1', ['SADD key 1 2', 'OBJECT ENCODING key']),
  'zset-max-listpack-entries': lastReply('1', ['ZADD key 1 a 2 b', 'OBJECT ENCODING key']),
  'zset-max-listpack-value': lastReply('2', ['ZADD key 1 abc', 'OBJECT ENCODING key']),
  'hll-sparse-max-bytes': lastReply('10', ['PFADD key a b c d e f g', 'STRLEN key']),
  'stream-node-max-bytes': lastReply('64', [...entries(20), 'XINFO STREAM key']),
  'stream-node-max-entries': lastReply('2', [...entries(20), 'XINFO STREAM key']),
  'min-replicas-to-write': lastReply('1', ['SET key value']),
  'min-replicas-max-lag': lastReply('0', ['SET key value'], { 'min-replicas-to-write': '1' }),
};

function entries(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `XADD key ${i + 1}-1 field value`);
}
