/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { AnyCase, Methods, OneOrMore, Runner } from '../options.js';
import { append, isInvalid, isList, refuse } from '../options.js';
import { list, nullableDouble } from '../replies.js';
import { places, positions } from '../server-replies.js';
import type {
  GeoaddOptions,
  GeoCommands,
  GeoradiusbymemberOptions,
  GeoradiusbymemberRoOptions,
  GeoradiusOptions,
  GeoradiusRoOptions,
  GeosearchOptions,
  GeosearchstoreOptions,
} from '../types/geo.js';

const GEOADD: WireCommand = { words: ['GEOADD'], blocks: false };
const GEOADD_OPTIONS = ['nx', 'xx', 'ch'];
const GEODIST: WireCommand = { words: ['GEODIST'], blocks: false };
const GEOHASH: WireCommand = { words: ['GEOHASH'], blocks: false };
const GEOPOS: WireCommand = { words: ['GEOPOS'], blocks: false };
const GEORADIUS: WireCommand = { words: ['GEORADIUS'], blocks: false };
const GEORADIUS_OPTIONS = [
  'withCoord',
  'withDist',
  'withHash',
  'count',
  'any',
  'order',
  'store',
  'storeDist',
];
const GEORADIUS_RO: WireCommand = { words: ['GEORADIUS_RO'], blocks: false };
const GEORADIUS_RO_OPTIONS = ['withCoord', 'withDist', 'withHash', 'count', 'any', 'order'];
const GEORADIUSBYMEMBER: WireCommand = { words: ['GEORADIUSBYMEMBER'], blocks: false };
const GEORADIUSBYMEMBER_OPTIONS = [
  'withCoord',
  'withDist',
  'withHash',
  'count',
  'any',
  'order',
  'store',
  'storeDist',
];
const GEORADIUSBYMEMBER_RO: WireCommand = { words: ['GEORADIUSBYMEMBER_RO'], blocks: false };
const GEORADIUSBYMEMBER_RO_OPTIONS = ['withCoord', 'withDist', 'withHash', 'count', 'any', 'order'];
const GEOSEARCH: WireCommand = { words: ['GEOSEARCH'], blocks: false };
const GEOSEARCH_OPTIONS = [
  'fromMember',
  'fromLonLat',
  'byRadius',
  'byBox',
  'order',
  'count',
  'any',
  'withCoord',
  'withDist',
  'withHash',
];
const GEOSEARCHSTORE: WireCommand = { words: ['GEOSEARCHSTORE'], blocks: false };
const GEOSEARCHSTORE_OPTIONS = [
  'fromMember',
  'fromLonLat',
  'byRadius',
  'byBox',
  'order',
  'count',
  'any',
  'storeDist',
];

export const geoMethods = {
  geoadd(
    this: Runner,
    key: Argument,
    longitude:
      | number
      | string
      | OneOrMore<{
          readonly longitude: number | string;
          readonly latitude: number | string;
          readonly member: Argument;
        }>,
    latitude?: number | string | GeoaddOptions,
    member?: Argument,
    last?: GeoaddOptions,
  ): unknown {
    if (last === undefined && typeof longitude !== 'object')
      return this.run(GEOADD, [key, longitude, latitude as Argument, member as Argument]);
    const options = typeof longitude === 'object' ? (latitude as GeoaddOptions | undefined) : last;
    if (options !== undefined && isInvalid(options, GEOADD_OPTIONS))
      return refuse(this, 'geoadd', options, GEOADD_OPTIONS);
    const args: Argument[] = [key];
    if (options !== undefined) {
      if (options.nx) args.push('NX');
      if (options.xx) args.push('XX');
      if (options.ch) args.push('CH');
    }
    if (typeof longitude !== 'object') args.push(longitude, latitude as Argument, member as Argument);
    else
      for (const item of isList(longitude) ? longitude : [longitude])
        args.push(item.longitude, item.latitude, item.member);
    return this.run(GEOADD, args);
  },

  geodist(
    this: Runner,
    key: Argument,
    member1: Argument,
    member2: Argument,
    unit?: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
  ): unknown {
    if (unit === undefined) return this.run(GEODIST, [key, member1, member2], nullableDouble);
    return this.run(GEODIST, [key, member1, member2, unit], nullableDouble);
  },

  geohash(this: Runner, key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(members)) return this.run(GEOHASH, [key, members], list);
    const args: Argument[] = [key];
    append(args, members, more);
    return this.run(GEOHASH, args, list);
  },

  geopos(this: Runner, key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (more.length === 0 && !isList(members)) return this.run(GEOPOS, [key, members], positions);
    const args: Argument[] = [key];
    append(args, members, more);
    return this.run(GEOPOS, args, positions);
  },

  georadius(
    this: Runner,
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: GeoradiusOptions,
  ): unknown {
    if (options === undefined) return this.run(GEORADIUS, [key, longitude, latitude, radius, unit], list);
    if (isInvalid(options, GEORADIUS_OPTIONS)) return refuse(this, 'georadius', options, GEORADIUS_OPTIONS);
    const args: Argument[] = [key, longitude, latitude, radius, unit];
    if (options.withCoord) args.push('WITHCOORD');
    if (options.withDist) args.push('WITHDIST');
    if (options.withHash) args.push('WITHHASH');
    if (options.count !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
      if (options.any) args.push('ANY');
    }
    if (options.order !== undefined) args.push(options.order);
    if (options.store !== undefined) args.push('STORE', options.store);
    if (options.storeDist !== undefined) args.push('STOREDIST', options.storeDist);
    return this.run(
      GEORADIUS,
      args,
      options.store !== undefined || options.storeDist !== undefined
        ? undefined
        : options.withCoord || options.withDist || options.withHash
          ? places
          : list,
    );
  },

  georadiusRo(
    this: Runner,
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: GeoradiusRoOptions,
  ): unknown {
    if (options === undefined) return this.run(GEORADIUS_RO, [key, longitude, latitude, radius, unit], list);
    if (isInvalid(options, GEORADIUS_RO_OPTIONS))
      return refuse(this, 'georadiusRo', options, GEORADIUS_RO_OPTIONS);
    const args: Argument[] = [key, longitude, latitude, radius, unit];
    if (options.withCoord) args.push('WITHCOORD');
    if (options.withDist) args.push('WITHDIST');
    if (options.withHash) args.push('WITHHASH');
    if (options.count !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
      if (options.any) args.push('ANY');
    }
    if (options.order !== undefined) args.push(options.order);
    return this.run(
      GEORADIUS_RO,
      args,
      options.withCoord || options.withDist || options.withHash ? places : list,
    );
  },

  georadiusbymember(
    this: Runner,
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: GeoradiusbymemberOptions,
  ): unknown {
    if (options === undefined) return this.run(GEORADIUSBYMEMBER, [key, member, radius, unit], list);
    if (isInvalid(options, GEORADIUSBYMEMBER_OPTIONS))
      return refuse(this, 'georadiusbymember', options, GEORADIUSBYMEMBER_OPTIONS);
    const args: Argument[] = [key, member, radius, unit];
    if (options.withCoord) args.push('WITHCOORD');
    if (options.withDist) args.push('WITHDIST');
    if (options.withHash) args.push('WITHHASH');
    if (options.count !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
      if (options.any) args.push('ANY');
    }
    if (options.order !== undefined) args.push(options.order);
    if (options.store !== undefined) args.push('STORE', options.store);
    if (options.storeDist !== undefined) args.push('STOREDIST', options.storeDist);
    return this.run(
      GEORADIUSBYMEMBER,
      args,
      options.store !== undefined || options.storeDist !== undefined
        ? undefined
        : options.withCoord || options.withDist || options.withHash
          ? places
          : list,
    );
  },

  georadiusbymemberRo(
    this: Runner,
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: GeoradiusbymemberRoOptions,
  ): unknown {
    if (options === undefined) return this.run(GEORADIUSBYMEMBER_RO, [key, member, radius, unit], list);
    if (isInvalid(options, GEORADIUSBYMEMBER_RO_OPTIONS))
      return refuse(this, 'georadiusbymemberRo', options, GEORADIUSBYMEMBER_RO_OPTIONS);
    const args: Argument[] = [key, member, radius, unit];
    if (options.withCoord) args.push('WITHCOORD');
    if (options.withDist) args.push('WITHDIST');
    if (options.withHash) args.push('WITHHASH');
    if (options.count !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
      if (options.any) args.push('ANY');
    }
    if (options.order !== undefined) args.push(options.order);
    return this.run(
      GEORADIUSBYMEMBER_RO,
      args,
      options.withCoord || options.withDist || options.withHash ? places : list,
    );
  },

  geosearch(this: Runner, key: Argument, options: GeosearchOptions): unknown {
    if (isInvalid(options, GEOSEARCH_OPTIONS)) return refuse(this, 'geosearch', options, GEOSEARCH_OPTIONS);
    const args: Argument[] = [key];
    if (options.fromMember !== undefined) args.push('FROMMEMBER', options.fromMember);
    if (options.fromLonLat !== undefined) {
      if (isInvalid(options.fromLonLat, ['longitude', 'latitude']))
        return refuse(this, 'fromLonLat', options.fromLonLat, ['longitude', 'latitude']);
      args.push('FROMLONLAT', options.fromLonLat.longitude, options.fromLonLat.latitude);
    }
    if (options.byRadius !== undefined) {
      if (isInvalid(options.byRadius, ['radius', 'unit']))
        return refuse(this, 'byRadius', options.byRadius, ['radius', 'unit']);
      args.push('BYRADIUS', options.byRadius.radius, options.byRadius.unit);
    }
    if (options.byBox !== undefined) {
      if (isInvalid(options.byBox, ['width', 'height', 'unit']))
        return refuse(this, 'byBox', options.byBox, ['width', 'height', 'unit']);
      args.push('BYBOX', options.byBox.width, options.byBox.height, options.byBox.unit);
    }
    if (options.order !== undefined) args.push(options.order);
    if (options.count !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
      if (options.any) args.push('ANY');
    }
    if (options.withCoord) args.push('WITHCOORD');
    if (options.withDist) args.push('WITHDIST');
    if (options.withHash) args.push('WITHHASH');
    return this.run(
      GEOSEARCH,
      args,
      options.withCoord || options.withDist || options.withHash ? places : list,
    );
  },

  geosearchstore(
    this: Runner,
    destination: Argument,
    source: Argument,
    options: GeosearchstoreOptions,
  ): unknown {
    if (isInvalid(options, GEOSEARCHSTORE_OPTIONS))
      return refuse(this, 'geosearchstore', options, GEOSEARCHSTORE_OPTIONS);
    const args: Argument[] = [destination, source];
    if (options.fromMember !== undefined) args.push('FROMMEMBER', options.fromMember);
    if (options.fromLonLat !== undefined) {
      if (isInvalid(options.fromLonLat, ['longitude', 'latitude']))
        return refuse(this, 'fromLonLat', options.fromLonLat, ['longitude', 'latitude']);
      args.push('FROMLONLAT', options.fromLonLat.longitude, options.fromLonLat.latitude);
    }
    if (options.byRadius !== undefined) {
      if (isInvalid(options.byRadius, ['radius', 'unit']))
        return refuse(this, 'byRadius', options.byRadius, ['radius', 'unit']);
      args.push('BYRADIUS', options.byRadius.radius, options.byRadius.unit);
    }
    if (options.byBox !== undefined) {
      if (isInvalid(options.byBox, ['width', 'height', 'unit']))
        return refuse(this, 'byBox', options.byBox, ['width', 'height', 'unit']);
      args.push('BYBOX', options.byBox.width, options.byBox.height, options.byBox.unit);
    }
    if (options.order !== undefined) args.push(options.order);
    if (options.count !== undefined) {
      if (options.count !== undefined) args.push('COUNT', options.count);
      if (options.any) args.push('ANY');
    }
    if (options.storeDist) args.push('STOREDIST');
    return this.run(GEOSEARCHSTORE, args);
  },
} satisfies Methods<GeoCommands<Shape>>;
