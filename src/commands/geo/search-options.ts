import type { Bytes } from '../../bytes/bytes.js';
import type { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import type { GeoArea } from '../../structures/geo/geo-area.js';
import { Position } from '../../structures/geo/geohash.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';
import { metresOf, positionAt } from './arguments.js';

/** The properties of a command that its name determines. */
export interface SearchKind {
  /** Whether centre and area are in fixed places, or given by options in any order. */
  readonly from: 'position' | 'member' | 'options';
  /** Whether options may name a key for the result (`option`), or the first argument does (`argument`). */
  readonly store: 'never' | 'option' | 'argument';
}

export interface SearchRequest {
  /** Undefined only if the source key does not exist. */
  readonly area: GeoArea | undefined;
  /** Metres in the unit that distances are in. */
  readonly unit: number;
  readonly withDistance: boolean;
  readonly withHash: boolean;
  readonly withPosition: boolean;
  readonly order: 'none' | 'ascending' | 'descending';
  /** 0 is all. */
  readonly count: number;
  /** ANY: return any `count` members, not necessarily the nearest. */
  readonly any: boolean;
  readonly storeKey: Bytes | undefined;
  readonly storesDistance: boolean;
}

const noSuchMember = new CommandError('ERR could not decode requested zset member');
const radiusNotNumeric = new CommandError('ERR need numeric radius');
const radiusNegative = new CommandError('ERR radius cannot be negative');
const widthNotNumeric = new CommandError('ERR need numeric width');
const heightNotNumeric = new CommandError('ERR need numeric height');
const boxNegative = new CommandError('ERR height or width cannot be negative');
const countNotPositive = new CommandError('ERR COUNT must be > 0');
const anyWithoutCount = new CommandError('ERR the ANY argument requires COUNT argument');

/** Reads the arguments of a search in `source`, undefined if there is no such key. */
export function parseSearch(call: Call, kind: SearchKind, source: SortedSetValue | undefined): SearchRequest {
  return new SearchParser(call, kind, source).parse();
}

type Shape =
  | { readonly kind: 'circle'; readonly radius: number }
  | { readonly kind: 'box'; readonly width: number; readonly height: number };

class SearchParser {
  readonly #call: Call;
  readonly #kind: SearchKind;
  readonly #source: SortedSetValue | undefined;
  #from: 'member' | 'position' | undefined;
  #centre: Position | undefined;
  #shape: Shape | undefined;
  #unit = 1;
  #withDistance = false;
  #withHash = false;
  #withPosition = false;
  #order: SearchRequest['order'] = 'none';
  #count = 0;
  #any = false;
  #storeKey: Bytes | undefined;
  #storesDistance = false;

  constructor(call: Call, kind: SearchKind, source: SortedSetValue | undefined) {
    this.#call = call;
    this.#kind = kind;
    this.#source = source;
    if (kind.store === 'argument') this.#storeKey = call.arg(1);
  }

  parse(): SearchRequest {
    let at = this.#readFixed();
    while (at < this.#call.argc) at = this.#readOption(at);
    this.#check();
    return {
      area: this.#area(),
      unit: this.#unit,
      withDistance: this.#withDistance,
      withHash: this.#withHash,
      withPosition: this.#withPosition,
      // Without ANY, the nearest ones are wanted: sort by distance.
      order: this.#order === 'none' && this.#count > 0 && !this.#any ? 'ascending' : this.#order,
      count: this.#count,
      any: this.#any,
      storeKey: this.#storeKey,
      storesDistance: this.#storesDistance,
    };
  }

  #area(): GeoArea | undefined {
    return this.#centre && this.#shape && { centre: this.#centre, ...this.#shape };
  }

  /** Reads the arguments in fixed places; returns where the options begin. */
  #readFixed(): number {
    const { from, store } = this.#kind;
    if (from === 'options') return store === 'argument' ? 3 : 2;
    if (from === 'position') {
      this.#centre = positionAt(this.#call, 2);
      this.#readCircle(4);
      return 6;
    }
    if (this.#source !== undefined) {
      this.#centre = this.#positionOf(this.#source, 2);
      this.#readCircle(3);
    }
    return 5;
  }

  /** Reads the option in argument `at`; returns where the next one begins. */
  #readOption(at: number): number {
    const option = this.#call.arg(at);
    const following = this.#call.argc - at - 1;
    if (option.is('withdist')) this.#withDistance = true;
    else if (option.is('withhash')) this.#withHash = true;
    else if (option.is('withcoord')) this.#withPosition = true;
    else if (option.is('any')) this.#any = true;
    else if (option.is('asc')) this.#order = 'ascending';
    else if (option.is('desc')) this.#order = 'descending';
    else if (option.is('count') && following >= 1) return this.#readCount(at + 1);
    else if (this.#kind.from === 'options') return this.#readAreaOption(option, at, following);
    else return this.#readStoreOption(option, at, following);
    return at + 1;
  }

  #readCount(at: number): number {
    this.#count = this.#call.integer(at);
    if (this.#count <= 0) throw countNotPositive;
    return at + 1;
  }

  #readStoreOption(option: Bytes, at: number, following: number): number {
    const isDistance = option.is('storedist');
    if (this.#kind.store === 'never' || following < 1 || !(isDistance || option.is('store'))) {
      throw errors.syntax;
    }
    this.#storeKey = this.#call.arg(at + 1);
    this.#storesDistance = isDistance;
    return at + 2;
  }

  #readAreaOption(option: Bytes, at: number, following: number): number {
    if (option.is('storedist') && this.#kind.store === 'argument') {
      this.#storesDistance = true;
      return at + 1;
    }
    if (option.is('frommember') && following >= 1 && this.#from !== 'position') {
      this.#from = 'member';
      if (this.#source !== undefined) this.#centre = this.#positionOf(this.#source, at + 1);
      return at + 2;
    }
    if (option.is('fromlonlat') && following >= 2 && this.#from !== 'member') {
      this.#from = 'position';
      this.#centre = positionAt(this.#call, at + 1);
      return at + 3;
    }
    if (option.is('byradius') && following >= 2 && this.#shape?.kind !== 'box') {
      return this.#readCircle(at + 1);
    }
    if (option.is('bybox') && following >= 3 && this.#shape?.kind !== 'circle') {
      return this.#readBox(at + 1);
    }
    throw errors.syntax;
  }

  #positionOf(source: SortedSetValue, at: number): Position {
    const score = source.score(this.#call.arg(at));
    if (Number.isNaN(score)) throw noSuchMember;
    return new Position().decode(score);
  }

  #readCircle(at: number): number {
    const radius = this.#call.double(at, radiusNotNumeric);
    if (radius < 0) throw radiusNegative;
    this.#unit = metresOf(this.#call.arg(at + 1));
    this.#shape = { kind: 'circle', radius: radius * this.#unit };
    return at + 2;
  }

  #readBox(at: number): number {
    const width = this.#call.double(at, widthNotNumeric);
    const height = this.#call.double(at + 1, heightNotNumeric);
    if (width < 0 || height < 0) throw boxNegative;
    this.#unit = metresOf(this.#call.arg(at + 2));
    this.#shape = { kind: 'box', width: width * this.#unit, height: height * this.#unit };
    return at + 3;
  }

  /** Checks that need all options. */
  #check(): void {
    const { from, store } = this.#kind;
    const name = this.#call.text(0);
    if (this.#storeKey !== undefined && (this.#withDistance || this.#withHash || this.#withPosition)) {
      const what = store === 'argument' ? 'GEOSEARCHSTORE' : 'STORE option in GEORADIUS';
      throw new CommandError(`ERR ${what} is not compatible with WITHDIST, WITHHASH and WITHCOORD options`);
    }
    if (from === 'options' && this.#from === undefined) {
      throw new CommandError(`ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ${name}`);
    }
    if (from === 'options' && this.#shape === undefined) {
      throw new CommandError(`ERR exactly one of BYRADIUS and BYBOX can be specified for ${name}`);
    }
    if (this.#any && this.#count === 0) throw anyWithoutCount;
  }
}
