/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Runner } from '../options.js';
import { append, appendEach, isInvalid, isList, refuse } from '../options.js';
import { boolean, list, nullableWord, ok, word } from '../replies.js';
import type {
  CopyOptions,
  ExpireatOptions,
  ExpireOptions,
  GenericCommands,
  PexpireatOptions,
  PexpireOptions,
  RestoreOptions,
  SortOptions,
  SortRoOptions,
} from '../types/generic.js';

const COPY: WireCommand = { words: ['COPY'], blocks: false };
const COPY_OPTIONS = ['db', 'replace'];
const DEL: WireCommand = { words: ['DEL'], blocks: false };
const DUMP: WireCommand = { words: ['DUMP'], blocks: false };
const EXISTS: WireCommand = { words: ['EXISTS'], blocks: false };
const EXPIRE: WireCommand = { words: ['EXPIRE'], blocks: false };
const EXPIRE_OPTIONS = ['nx', 'xx', 'gt', 'lt'];
const EXPIREAT: WireCommand = { words: ['EXPIREAT'], blocks: false };
const EXPIREAT_OPTIONS = ['nx', 'xx', 'gt', 'lt'];
const EXPIRETIME: WireCommand = { words: ['EXPIRETIME'], blocks: false };
const KEYS: WireCommand = { words: ['KEYS'], blocks: false };
const MOVE: WireCommand = { words: ['MOVE'], blocks: false };
const OBJECT_ENCODING: WireCommand = { words: ['OBJECT', 'ENCODING'], blocks: false };
const OBJECT_FREQ: WireCommand = { words: ['OBJECT', 'FREQ'], blocks: false };
const OBJECT_IDLETIME: WireCommand = { words: ['OBJECT', 'IDLETIME'], blocks: false };
const OBJECT_REFCOUNT: WireCommand = { words: ['OBJECT', 'REFCOUNT'], blocks: false };
const PERSIST: WireCommand = { words: ['PERSIST'], blocks: false };
const PEXPIRE: WireCommand = { words: ['PEXPIRE'], blocks: false };
const PEXPIRE_OPTIONS = ['nx', 'xx', 'gt', 'lt'];
const PEXPIREAT: WireCommand = { words: ['PEXPIREAT'], blocks: false };
const PEXPIREAT_OPTIONS = ['nx', 'xx', 'gt', 'lt'];
const PEXPIRETIME: WireCommand = { words: ['PEXPIRETIME'], blocks: false };
const PTTL: WireCommand = { words: ['PTTL'], blocks: false };
const RANDOMKEY: WireCommand = { words: ['RANDOMKEY'], blocks: false };
const RENAME: WireCommand = { words: ['RENAME'], blocks: false };
const RENAMENX: WireCommand = { words: ['RENAMENX'], blocks: false };
const RESTORE: WireCommand = { words: ['RESTORE'], blocks: false };
const RESTORE_OPTIONS = ['replace', 'absTtl', 'idleTime', 'freq'];
const SORT: WireCommand = { words: ['SORT'], blocks: false };
const SORT_OPTIONS = ['by', 'limit', 'get', 'order', 'alpha', 'store'];
const SORT_RO: WireCommand = { words: ['SORT_RO'], blocks: false };
const SORT_RO_OPTIONS = ['by', 'limit', 'get', 'order', 'alpha'];
const TOUCH: WireCommand = { words: ['TOUCH'], blocks: false };
const TTL: WireCommand = { words: ['TTL'], blocks: false };
const TYPE: WireCommand = { words: ['TYPE'], blocks: false };
const UNLINK: WireCommand = { words: ['UNLINK'], blocks: false };
const WAIT: WireCommand = { words: ['WAIT'], blocks: true };

export const genericMethods = {
  copy(this: Runner, source: Argument, destination: Argument, options?: CopyOptions): unknown {
    if (options === undefined) return this.run(COPY, [source, destination], boolean);
    if (isInvalid(options, COPY_OPTIONS)) return refuse(this, 'copy', options, COPY_OPTIONS);
    const args: Argument[] = [source, destination];
    if (options.db !== undefined) args.push('DB', options.db);
    if (options.replace) args.push('REPLACE');
    return this.run(COPY, args, boolean);
  },

  del(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(DEL, [keys]);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(DEL, args);
  },

  dump(this: Runner, key: Argument): unknown {
    return this.run(DUMP, [key]);
  },

  exists(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(EXISTS, [keys]);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(EXISTS, args);
  },

  expire(this: Runner, key: Argument, seconds: number | bigint, options?: ExpireOptions): unknown {
    if (options === undefined) return this.run(EXPIRE, [key, seconds], boolean);
    if (isInvalid(options, EXPIRE_OPTIONS)) return refuse(this, 'expire', options, EXPIRE_OPTIONS);
    const args: Argument[] = [key, seconds];
    if (options.nx) args.push('NX');
    if (options.xx) args.push('XX');
    if (options.gt) args.push('GT');
    if (options.lt) args.push('LT');
    return this.run(EXPIRE, args, boolean);
  },

  expireat(
    this: Runner,
    key: Argument,
    unixTimeSeconds: number | bigint,
    options?: ExpireatOptions,
  ): unknown {
    if (options === undefined) return this.run(EXPIREAT, [key, unixTimeSeconds], boolean);
    if (isInvalid(options, EXPIREAT_OPTIONS)) return refuse(this, 'expireat', options, EXPIREAT_OPTIONS);
    const args: Argument[] = [key, unixTimeSeconds];
    if (options.nx) args.push('NX');
    if (options.xx) args.push('XX');
    if (options.gt) args.push('GT');
    if (options.lt) args.push('LT');
    return this.run(EXPIREAT, args, boolean);
  },

  expiretime(this: Runner, key: Argument): unknown {
    return this.run(EXPIRETIME, [key]);
  },

  keys(this: Runner, pattern: Argument): unknown {
    return this.run(KEYS, [pattern], list);
  },

  move(this: Runner, key: Argument, db: number | bigint): unknown {
    return this.run(MOVE, [key, db], boolean);
  },

  objectEncoding(this: Runner, key: Argument): unknown {
    return this.run(OBJECT_ENCODING, [key], nullableWord);
  },

  objectFreq(this: Runner, key: Argument): unknown {
    return this.run(OBJECT_FREQ, [key]);
  },

  objectIdletime(this: Runner, key: Argument): unknown {
    return this.run(OBJECT_IDLETIME, [key]);
  },

  objectRefcount(this: Runner, key: Argument): unknown {
    return this.run(OBJECT_REFCOUNT, [key]);
  },

  persist(this: Runner, key: Argument): unknown {
    return this.run(PERSIST, [key], boolean);
  },

  pexpire(this: Runner, key: Argument, milliseconds: number | bigint, options?: PexpireOptions): unknown {
    if (options === undefined) return this.run(PEXPIRE, [key, milliseconds], boolean);
    if (isInvalid(options, PEXPIRE_OPTIONS)) return refuse(this, 'pexpire', options, PEXPIRE_OPTIONS);
    const args: Argument[] = [key, milliseconds];
    if (options.nx) args.push('NX');
    if (options.xx) args.push('XX');
    if (options.gt) args.push('GT');
    if (options.lt) args.push('LT');
    return this.run(PEXPIRE, args, boolean);
  },

  pexpireat(
    this: Runner,
    key: Argument,
    unixTimeMilliseconds: number | bigint,
    options?: PexpireatOptions,
  ): unknown {
    if (options === undefined) return this.run(PEXPIREAT, [key, unixTimeMilliseconds], boolean);
    if (isInvalid(options, PEXPIREAT_OPTIONS)) return refuse(this, 'pexpireat', options, PEXPIREAT_OPTIONS);
    const args: Argument[] = [key, unixTimeMilliseconds];
    if (options.nx) args.push('NX');
    if (options.xx) args.push('XX');
    if (options.gt) args.push('GT');
    if (options.lt) args.push('LT');
    return this.run(PEXPIREAT, args, boolean);
  },

  pexpiretime(this: Runner, key: Argument): unknown {
    return this.run(PEXPIRETIME, [key]);
  },

  pttl(this: Runner, key: Argument): unknown {
    return this.run(PTTL, [key]);
  },

  randomkey(this: Runner): unknown {
    return this.run(RANDOMKEY, []);
  },

  rename(this: Runner, key: Argument, newkey: Argument): unknown {
    return this.run(RENAME, [key, newkey], ok);
  },

  renamenx(this: Runner, key: Argument, newkey: Argument): unknown {
    return this.run(RENAMENX, [key, newkey], boolean);
  },

  restore(
    this: Runner,
    key: Argument,
    ttl: number | bigint,
    serializedValue: Argument,
    options?: RestoreOptions,
  ): unknown {
    if (options === undefined) return this.run(RESTORE, [key, ttl, serializedValue], ok);
    if (isInvalid(options, RESTORE_OPTIONS)) return refuse(this, 'restore', options, RESTORE_OPTIONS);
    const args: Argument[] = [key, ttl, serializedValue];
    if (options.replace) args.push('REPLACE');
    if (options.absTtl) args.push('ABSTTL');
    if (options.idleTime !== undefined) args.push('IDLETIME', options.idleTime);
    if (options.freq !== undefined) args.push('FREQ', options.freq);
    return this.run(RESTORE, args, ok);
  },

  sort(this: Runner, key: Argument, options?: SortOptions): unknown {
    if (options === undefined) return this.run(SORT, [key], list);
    if (isInvalid(options, SORT_OPTIONS)) return refuse(this, 'sort', options, SORT_OPTIONS);
    const args: Argument[] = [key];
    if (options.by !== undefined) args.push('BY', options.by);
    if (options.limit !== undefined) {
      if (isInvalid(options.limit, ['offset', 'count']))
        return refuse(this, 'limit', options.limit, ['offset', 'count']);
      args.push('LIMIT', options.limit.offset, options.limit.count);
    }
    if (options.get !== undefined) appendEach(args, 'GET', options.get);
    if (options.order !== undefined) args.push(options.order);
    if (options.alpha) args.push('ALPHA');
    if (options.store !== undefined) args.push('STORE', options.store);
    return this.run(SORT, args, options.store !== undefined ? undefined : list);
  },

  sortRo(this: Runner, key: Argument, options?: SortRoOptions): unknown {
    if (options === undefined) return this.run(SORT_RO, [key], list);
    if (isInvalid(options, SORT_RO_OPTIONS)) return refuse(this, 'sortRo', options, SORT_RO_OPTIONS);
    const args: Argument[] = [key];
    if (options.by !== undefined) args.push('BY', options.by);
    if (options.limit !== undefined) {
      if (isInvalid(options.limit, ['offset', 'count']))
        return refuse(this, 'limit', options.limit, ['offset', 'count']);
      args.push('LIMIT', options.limit.offset, options.limit.count);
    }
    if (options.get !== undefined) appendEach(args, 'GET', options.get);
    if (options.order !== undefined) args.push(options.order);
    if (options.alpha) args.push('ALPHA');
    return this.run(SORT_RO, args, list);
  },

  touch(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(TOUCH, [keys]);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(TOUCH, args);
  },

  ttl(this: Runner, key: Argument): unknown {
    return this.run(TTL, [key]);
  },

  type(this: Runner, key: Argument): unknown {
    return this.run(TYPE, [key], word);
  },

  unlink(this: Runner, keys: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(keys)) return this.run(UNLINK, [keys]);
    const args: Argument[] = [];
    append(args, keys, more);
    return this.run(UNLINK, args);
  },

  wait(this: Runner, numreplicas: number | bigint, timeout: number | bigint): unknown {
    return this.run(WAIT, [numreplicas, timeout]);
  },
} satisfies Methods<GenericCommands<Shape>>;
