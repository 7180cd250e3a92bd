import type { RandomSource } from '../../../src/bytes/random.js';
import type { TestEngine, Word } from './engine.js';

/*
 * Random write commands of every family, over a few keys of each type, some of them large, so that most commands find
 * something to change.
 */

/** An engine, or a connection to a server. */
export interface Target {
  run(...words: Word[]): unknown;
}

const KEYS_PER_TYPE = 12;
/** A collection with more elements is written in parts by a snapshot. */
const LARGE = 150;

export class RandomCommands {
  readonly #random: RandomSource;

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Every write command, by its full name, with random arguments. */
  get names(): string[] {
    return Object.keys(this.#commands);
  }

  /** Keys of every type, small and large, with and without a time to live. */
  fill(engine: Target): void {
    const r = this.#random;
    for (let i = 0; i < KEYS_PER_TYPE; i++) {
      const large = i < 2;
      engine.run('SET', `string:${i}`, i % 3 === 0 ? i * 1_000_000_007 : `text ${i}`);
      for (let n = large ? LARGE * 2 : r.integer(20) + 1; n > 0; n--) {
        engine.run('RPUSH', `list:${i}`, large ? 'element '.repeat(10) + n : n);
      }
      for (let n = large ? LARGE : r.integer(20) + 1; n > 0; n--) {
        engine.run('SADD', `set:${i}`, i % 2 === 0 ? `member ${n} ${'x'.repeat(30)}` : n + i * 100_000);
        engine.run('HSET', `hash:${i}`, `field ${n}`, 'v'.repeat(r.integer(80)));
        engine.run('ZADD', `zset:${i}`, n / 7, `member ${n}${'y'.repeat(r.integer(60))}`);
        engine.run('GEOADD', `geo:${i}`, (n % 170) + 0.5, (n % 80) + 0.5, `place ${n}`);
      }
      for (let n = large ? LARGE * 3 : r.integer(20) + 1; n > 0; n--) {
        engine.run('PFADD', `hll:${i}`, `element ${r.integer(1000)}`);
        engine.run('XADD', `stream:${i}`, '*', 'field', `value ${n}`);
      }
      engine.run('XGROUP', 'CREATE', `stream:${i}`, 'group', '0');
      engine.run('XREADGROUP', 'GROUP', 'group', 'alice', 'COUNT', '3', 'STREAMS', `stream:${i}`, '>');
      engine.run('PEXPIRE', `${this.#pick(TYPES)}:${i}`, 1000 + r.integer(100_000));
    }
    engine.run('SETRANGE', 'string:0', 90_000, 'end');
    engine.run('SETRANGE', 'string:1', 70_000, 'end');
  }

  /** Runs a random command, and sometimes advances the clock. */
  run(engine: TestEngine): string[] {
    if (this.#random.integer(40) === 0) engine.clock.advance(this.#random.integer(2000));
    const name = this.#pick(this.names);
    return this.runCommand(engine, name);
  }

  runCommand(engine: Target, name: string): string[] {
    const words = [...name.split('|'), ...(this.#commands[name] as () => Word[])()];
    engine.run(...words);
    return words.map(String);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random.integer(from.length)] as T;
  }

  #n = (below = 200): number => this.#random.integer(below);

  /** A key of this type, sometimes of any type. */
  #key = (type: string): string =>
    `${this.#n(15) === 0 ? this.#pick(TYPES) : type}:${this.#n(KEYS_PER_TYPE + 2)}`;

  #s = (): string => this.#key('string');
  #l = (): string => this.#key('list');
  #e = (): string => this.#key('set');
  #h = (): string => this.#key('hash');
  #z = (): string => this.#key('zset');
  #g = (): string => this.#key('geo');
  #p = (): string => this.#key('hll');
  #x = (): string => this.#key('stream');
  #any = (): string => this.#key(this.#pick(TYPES));
  #end = (): string => this.#pick(['LEFT', 'RIGHT']);
  #text = (): string => 'z'.repeat(this.#n(90)) + this.#n();
  #id = (): string => `1700000000${String(this.#n(1000)).padStart(3, '0')}-0`;
  #center = (): Word[] => [this.#n(170), this.#n(80), 3000, 'km'];

  readonly #commands: Record<string, () => Word[]> = {
    append: () => [this.#s(), this.#text()],
    bitfield: () => [this.#s(), 'SET', 'u8', this.#n(), this.#n(256), 'INCRBY', 'i16', this.#n(), 3],
    bitop: () => [this.#pick(['AND', 'OR', 'XOR']), this.#s(), this.#s(), this.#s()],
    decr: () => [this.#s()],
    decrby: () => [this.#s(), this.#n()],
    getdel: () => [this.#s()],
    getex: () => [this.#s(), ...this.#pick<Word[]>([['PERSIST'], ['PX', this.#n(5000) + 1], ['EX', 5], []])],
    getset: () => [this.#s(), this.#text()],
    incr: () => [this.#s()],
    incrby: () => [this.#s(), this.#n()],
    incrbyfloat: () => [this.#s(), 0.5],
    mset: () => [this.#s(), this.#text(), this.#s(), this.#n()],
    msetnx: () => [this.#s(), this.#text(), this.#s(), this.#n()],
    psetex: () => [this.#s(), this.#n(5000) + 1, this.#text()],
    set: () => [
      this.#any(),
      this.#text(),
      ...this.#pick<Word[]>([[], ['KEEPTTL'], ['PX', this.#n(5000) + 1], ['GET']]),
    ],
    setbit: () => [this.#s(), this.#n(100_000), this.#n(2)],
    setex: () => [this.#s(), this.#n(10) + 1, this.#text()],
    setnx: () => [this.#s(), this.#text()],
    setrange: () => [this.#s(), this.#n(), this.#text()],

    copy: () => [this.#any(), this.#any(), ...this.#pick<Word[]>([[], ['REPLACE'], ['DB', 1]])],
    del: () => [this.#any(), this.#any()],
    expire: () => [this.#any(), this.#n(20) - 2],
    expireat: () => [this.#any(), 1_700_000_000 + this.#n(1000)],
    move: () => [this.#any(), this.#n(3)],
    persist: () => [this.#any()],
    pexpire: () => [this.#any(), this.#n(20_000) - 100],
    pexpireat: () => [this.#any(), 1_700_000_000_000 + this.#n(100_000)],
    rename: () => [this.#any(), this.#any()],
    renamenx: () => [this.#any(), this.#any()],
    restore: () => [this.#any(), 0, RESTORED, 'REPLACE'],
    sort: () => [this.#pick([this.#l(), this.#e(), this.#z()]), 'ALPHA', 'STORE', this.#l()],
    unlink: () => [this.#any()],

    blmove: () => [this.#l(), this.#l(), this.#end(), this.#end(), 0.001],
    blmpop: () => [0.001, 1, this.#l(), this.#end(), 'COUNT', this.#n(5) + 1],
    blpop: () => [this.#l(), 0.001],
    brpop: () => [this.#l(), 0.001],
    brpoplpush: () => [this.#l(), this.#l(), 0.001],
    linsert: () => [this.#l(), this.#pick(['BEFORE', 'AFTER']), this.#n(20), this.#text()],
    lmove: () => [this.#l(), this.#l(), this.#end(), this.#end()],
    lmpop: () => [1, this.#l(), this.#end(), 'COUNT', this.#n(40) + 1],
    lpop: () => [this.#l(), this.#n(5)],
    lpush: () => [this.#l(), this.#text(), this.#text()],
    lpushx: () => [this.#l(), this.#text()],
    lrem: () => [this.#l(), this.#n(5) - 2, this.#n(20)],
    lset: () => [this.#l(), this.#n(), this.#text()],
    ltrim: () => [this.#l(), this.#n(30), -this.#n(30) - 1],
    rpop: () => [this.#l()],
    rpoplpush: () => [this.#l(), this.#l()],
    rpush: () => [this.#l(), this.#text()],
    rpushx: () => [this.#l(), this.#text()],

    sadd: () => [this.#e(), this.#n(), this.#text()],
    sdiffstore: () => [this.#e(), this.#e(), this.#e()],
    sinterstore: () => [this.#e(), this.#e(), this.#e()],
    smove: () => [this.#e(), this.#e(), this.#n()],
    spop: () => [this.#e(), this.#n(5)],
    srem: () => [this.#e(), this.#n(), `member ${this.#n()} ${'x'.repeat(30)}`],
    sunionstore: () => [this.#e(), this.#e(), this.#e()],

    hdel: () => [this.#h(), `field ${this.#n()}`, `field ${this.#n(20)}`],
    hincrby: () => [this.#h(), `number ${this.#n(5)}`, this.#n()],
    hincrbyfloat: () => [this.#h(), `number ${this.#n(5)}`, 1.5],
    hmset: () => [this.#h(), `field ${this.#n()}`, this.#text(), `field ${this.#n()}`, 1],
    hset: () => [this.#h(), `field ${this.#n()}`, this.#text()],
    hsetnx: () => [this.#h(), `field ${this.#n()}`, this.#text()],

    bzmpop: () => [0.001, 1, this.#z(), 'MIN', 'COUNT', this.#n(10) + 1],
    bzpopmax: () => [this.#z(), 0.001],
    bzpopmin: () => [this.#z(), 0.001],
    zadd: () => [this.#z(), this.#n() / 3, `member ${this.#n()}`, this.#n(), this.#text()],
    zdiffstore: () => [this.#z(), 2, this.#z(), this.#z()],
    zincrby: () => [this.#z(), this.#n() - 1000, `member ${this.#n()}`],
    zinterstore: () => [this.#z(), 2, this.#z(), this.#z()],
    zmpop: () => [1, this.#z(), this.#pick(['MIN', 'MAX']), 'COUNT', this.#n(20) + 1],
    zpopmax: () => [this.#z(), this.#n(20)],
    zpopmin: () => [this.#z(), this.#n(20)],
    zrangestore: () => [this.#z(), this.#z(), this.#n(20), this.#n(200)],
    zrem: () => [this.#z(), `member ${this.#n()}`],
    zremrangebylex: () => [this.#z(), '[a', '[b'],
    zremrangebyrank: () => [this.#z(), this.#n(100), this.#n(200)],
    zremrangebyscore: () => [this.#z(), this.#n(100), this.#n(130)],
    zunionstore: () => [this.#z(), 2, this.#z(), this.#z()],

    geoadd: () => [this.#g(), this.#n(170), this.#n(80), `place ${this.#n()}`],
    georadius: () => [this.#g(), ...this.#center(), 'STORE', this.#g()],
    // Not STOREDIST: the last digit of a distance depends on the mathematical library, so that Redis may store another one.
    georadiusbymember: () => [this.#g(), `place ${this.#n(20)}`, 2000, 'km', 'STORE', this.#g()],
    geosearchstore: () => [
      this.#g(),
      this.#g(),
      'FROMLONLAT',
      this.#n(170),
      this.#n(80),
      'BYRADIUS',
      2000,
      'km',
    ],

    pfadd: () => [this.#p(), `element ${this.#n()}`, `element ${this.#n()}`],
    pfcount: () => [this.#p()],
    pfdebug: () => ['TODENSE', this.#p()],
    pfmerge: () => [this.#p(), this.#p(), this.#p()],

    xack: () => [this.#x(), 'group', this.#id()],
    xadd: () => [this.#x(), '*', 'field', this.#text()],
    xautoclaim: () => [this.#x(), 'group', 'bob', 0, '0'],
    xclaim: () => [this.#x(), 'group', 'carol', 0, this.#id()],
    xdel: () => [this.#x(), this.#id()],
    'xgroup|create': () => [this.#x(), `group ${this.#n(3)}`, '0', 'MKSTREAM'],
    'xgroup|createconsumer': () => [this.#x(), 'group', `consumer ${this.#n(3)}`],
    'xgroup|delconsumer': () => [this.#x(), 'group', 'alice'],
    'xgroup|destroy': () => [this.#x(), `group ${this.#n(3)}`],
    'xgroup|setid': () => [this.#x(), 'group', '0'],
    xreadgroup: () => ['GROUP', 'group', 'alice', 'COUNT', this.#n(5) + 1, 'STREAMS', this.#x(), '>'],
    xsetid: () => [this.#x(), `1800000000000-${this.#n()}`],
    xtrim: () => [this.#x(), 'MAXLEN', this.#n(10)],

    select: () => [this.#n(3) === 0 ? 1 : 0],
  };
}

/** Not among the random commands, because they remove almost all data. */
export const SWEEPING: readonly Word[][] = [['FLUSHALL'], ['FLUSHDB'], ['SWAPDB', 0, 1]];

const TYPES = ['string', 'list', 'set', 'hash', 'zset', 'geo', 'hll', 'stream'];

/** DUMP of the string `restored`. */
const RESTORED = Buffer.from('0008726573746f7265640a00b565b8d8d26f0af4', 'hex');
