/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { AnyCase, AtMostOne, ExactlyOne, Given, OneOrMore, Without } from '../options.js';
import type { FoundPlace, Position } from '../server-replies.js';

export type GeoaddOptions = { readonly ch?: boolean | undefined } & AtMostOne<{ nx: boolean; xx: boolean }>;
export type GeoradiusOptions = {
  readonly withCoord?: boolean | undefined;
  readonly withDist?: boolean | undefined;
  readonly withHash?: boolean | undefined;
  readonly order?: AnyCase<'asc' | 'desc'> | undefined;
  readonly store?: Argument | undefined;
  readonly storeDist?: Argument | undefined;
} & (
  | { readonly count: number | bigint; readonly any?: boolean | undefined }
  | { readonly count?: undefined; readonly any?: undefined }
);
export type GeoradiusRoOptions = {
  readonly withCoord?: boolean | undefined;
  readonly withDist?: boolean | undefined;
  readonly withHash?: boolean | undefined;
  readonly order?: AnyCase<'asc' | 'desc'> | undefined;
} & (
  | { readonly count: number | bigint; readonly any?: boolean | undefined }
  | { readonly count?: undefined; readonly any?: undefined }
);
export type GeoradiusbymemberOptions = {
  readonly withCoord?: boolean | undefined;
  readonly withDist?: boolean | undefined;
  readonly withHash?: boolean | undefined;
  readonly order?: AnyCase<'asc' | 'desc'> | undefined;
  readonly store?: Argument | undefined;
  readonly storeDist?: Argument | undefined;
} & (
  | { readonly count: number | bigint; readonly any?: boolean | undefined }
  | { readonly count?: undefined; readonly any?: undefined }
);
export type GeoradiusbymemberRoOptions = {
  readonly withCoord?: boolean | undefined;
  readonly withDist?: boolean | undefined;
  readonly withHash?: boolean | undefined;
  readonly order?: AnyCase<'asc' | 'desc'> | undefined;
} & (
  | { readonly count: number | bigint; readonly any?: boolean | undefined }
  | { readonly count?: undefined; readonly any?: undefined }
);
export type GeosearchOptions = {
  readonly order?: AnyCase<'asc' | 'desc'> | undefined;
  readonly withCoord?: boolean | undefined;
  readonly withDist?: boolean | undefined;
  readonly withHash?: boolean | undefined;
} & ExactlyOne<{
  fromMember: Argument;
  fromLonLat: { readonly longitude: number | string; readonly latitude: number | string };
}> &
  ExactlyOne<{
    byRadius: { readonly radius: number | string; readonly unit: AnyCase<'m' | 'km' | 'ft' | 'mi'> };
    byBox: {
      readonly width: number | string;
      readonly height: number | string;
      readonly unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>;
    };
  }> &
  (
    | { readonly count: number | bigint; readonly any?: boolean | undefined }
    | { readonly count?: undefined; readonly any?: undefined }
  );
export type GeosearchstoreOptions = {
  readonly order?: AnyCase<'asc' | 'desc'> | undefined;
  readonly storeDist?: boolean | undefined;
} & ExactlyOne<{
  fromMember: Argument;
  fromLonLat: { readonly longitude: number | string; readonly latitude: number | string };
}> &
  ExactlyOne<{
    byRadius: { readonly radius: number | string; readonly unit: AnyCase<'m' | 'km' | 'ft' | 'mi'> };
    byBox: {
      readonly width: number | string;
      readonly height: number | string;
      readonly unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>;
    };
  }> &
  (
    | { readonly count: number | bigint; readonly any?: boolean | undefined }
    | { readonly count?: undefined; readonly any?: undefined }
  );

/** Commands of the group geo. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface GeoCommands<S extends Shape> {
  /**
   * Add one or more geospatial items in the geospatial index represented using a sorted set.
   *
   * Sends GEOADD. O(log(N)) for each item added, where N is the number of elements in the sorted set.
   *
   * @example
   * await store.geoadd('sicily', 13.361389, 38.115556, 'Palermo', { nx: true }); // 1
   */
  geoadd(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    member: Argument,
    options?: GeoaddOptions,
  ): Outcome<S, S['integer']>;
  /** Add one or more geospatial items in the geospatial index represented using a sorted set. */
  geoadd(
    key: Argument,
    members: OneOrMore<{
      readonly longitude: number | string;
      readonly latitude: number | string;
      readonly member: Argument;
    }>,
    options?: GeoaddOptions,
  ): Outcome<S, S['integer']>;

  /**
   * Returns the distance between two members of a geospatial index.
   *
   * Sends GEODIST. O(log(N)).
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.geodist('sicily', 'Palermo', 'Catania', 'km'); // 166.2742
   */
  geodist(
    key: Argument,
    member1: Argument,
    member2: Argument,
    unit?: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
  ): Outcome<S, number | null>;

  /**
   * Returns members of a geospatial index as standard geohash strings.
   *
   * Sends GEOHASH. O(log(N)) for each member requested, where N is the number of elements in the sorted set.
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.geohash('sicily', 'Palermo'); // ['sqc8b49rny0']
   */
  geohash(key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, (S['text'] | null)[]>;

  /**
   * Returns longitude and latitude of members of a geospatial index.
   *
   * Sends GEOPOS. O(N) where N is the number of members requested.
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.geopos('sicily', 'none'); // [null]
   */
  geopos(key: Argument, members: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, (Position | null)[]>;

  /**
   * Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a point.
   *
   * Sends GEORADIUS. O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.
   *
   * @deprecated `GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` argument.
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.georadius('sicily', 15, 37, 100, 'km'); // ['Catania']
   */
  georadius(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusOptions, 'store'>,
  ): Outcome<S, S['integer']>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a point. */
  georadius(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusOptions, 'storeDist'>,
  ): Outcome<S, S['integer']>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a point. */
  georadius(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<Without<GeoradiusOptions, 'store' | 'storeDist'>, 'withCoord'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a point. */
  georadius(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<Without<GeoradiusOptions, 'store' | 'storeDist'>, 'withDist'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a point. */
  georadius(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<Without<GeoradiusOptions, 'store' | 'storeDist'>, 'withHash'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a point. */
  georadius(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: Without<GeoradiusOptions, 'store' | 'storeDist' | 'withCoord' | 'withDist' | 'withHash'>,
  ): Outcome<S, S['text'][]>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a point. */
  georadius(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: GeoradiusOptions,
  ): Outcome<S, S['text'][] | S['integer'] | FoundPlace<S>[]>;

  /**
   * A read-only variant for GEORADIUS.
   *
   * Sends GEORADIUS_RO. O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.
   *
   * @deprecated `GEOSEARCH` with the `BYRADIUS` argument.
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.georadiusRo('sicily', 15, 37, 100, 'km'); // ['Catania']
   */
  georadiusRo(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusRoOptions, 'withCoord'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** A read-only variant for GEORADIUS. */
  georadiusRo(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusRoOptions, 'withDist'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** A read-only variant for GEORADIUS. */
  georadiusRo(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusRoOptions, 'withHash'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** A read-only variant for GEORADIUS. */
  georadiusRo(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: Without<GeoradiusRoOptions, 'withCoord' | 'withDist' | 'withHash'>,
  ): Outcome<S, S['text'][]>;
  /** A read-only variant for GEORADIUS. */
  georadiusRo(
    key: Argument,
    longitude: number | string,
    latitude: number | string,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: GeoradiusRoOptions,
  ): Outcome<S, S['text'][] | FoundPlace<S>[]>;

  /**
   * Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a member.
   *
   * Sends GEORADIUSBYMEMBER. O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.
   *
   * @deprecated `GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` and `FROMMEMBER` arguments.
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.georadiusbymember('sicily', 'Catania', 1, 'km'); // ['Catania']
   */
  georadiusbymember(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusbymemberOptions, 'store'>,
  ): Outcome<S, S['integer']>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a member. */
  georadiusbymember(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusbymemberOptions, 'storeDist'>,
  ): Outcome<S, S['integer']>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a member. */
  georadiusbymember(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<Without<GeoradiusbymemberOptions, 'store' | 'storeDist'>, 'withCoord'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a member. */
  georadiusbymember(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<Without<GeoradiusbymemberOptions, 'store' | 'storeDist'>, 'withDist'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a member. */
  georadiusbymember(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<Without<GeoradiusbymemberOptions, 'store' | 'storeDist'>, 'withHash'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a member. */
  georadiusbymember(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: Without<
      GeoradiusbymemberOptions,
      'store' | 'storeDist' | 'withCoord' | 'withDist' | 'withHash'
    >,
  ): Outcome<S, S['text'][]>;
  /** Query a sorted set representing a geospatial index to fetch members matching a given maximum distance from a member. */
  georadiusbymember(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: GeoradiusbymemberOptions,
  ): Outcome<S, S['text'][] | S['integer'] | FoundPlace<S>[]>;

  /**
   * A read-only variant for GEORADIUSBYMEMBER.
   *
   * Sends GEORADIUSBYMEMBER_RO. O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.
   *
   * @deprecated `GEOSEARCH` with the `BYRADIUS` and `FROMMEMBER` arguments.
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.georadiusbymemberRo('sicily', 'Catania', 1, 'km'); // ['Catania']
   */
  georadiusbymemberRo(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusbymemberRoOptions, 'withCoord'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** A read-only variant for GEORADIUSBYMEMBER. */
  georadiusbymemberRo(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusbymemberRoOptions, 'withDist'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** A read-only variant for GEORADIUSBYMEMBER. */
  georadiusbymemberRo(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options: Given<GeoradiusbymemberRoOptions, 'withHash'>,
  ): Outcome<S, FoundPlace<S>[]>;
  /** A read-only variant for GEORADIUSBYMEMBER. */
  georadiusbymemberRo(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: Without<GeoradiusbymemberRoOptions, 'withCoord' | 'withDist' | 'withHash'>,
  ): Outcome<S, S['text'][]>;
  /** A read-only variant for GEORADIUSBYMEMBER. */
  georadiusbymemberRo(
    key: Argument,
    member: Argument,
    radius: number | string,
    unit: AnyCase<'m' | 'km' | 'ft' | 'mi'>,
    options?: GeoradiusbymemberRoOptions,
  ): Outcome<S, S['text'][] | FoundPlace<S>[]>;

  /**
   * Query a sorted set representing a geospatial index to fetch members inside an area of a box or a circle.
   *
   * Sends GEOSEARCH. O(N+log(M)) where N is the number of elements in the grid-aligned bounding box area around the shape provided as the filter and M is the number of items inside the shape.
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.geosearch('sicily', { fromLonLat: { longitude: 15, latitude: 37 }, byRadius: { radius: 200, unit: 'km' }, order: 'asc', withDist: true }); // [{ member: 'Catania', distance: 56.4413 }, { member: 'Palermo', distance: 190.4424 }]
   */
  geosearch(key: Argument, options: Given<GeosearchOptions, 'withCoord'>): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members inside an area of a box or a circle. */
  geosearch(key: Argument, options: Given<GeosearchOptions, 'withDist'>): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members inside an area of a box or a circle. */
  geosearch(key: Argument, options: Given<GeosearchOptions, 'withHash'>): Outcome<S, FoundPlace<S>[]>;
  /** Query a sorted set representing a geospatial index to fetch members inside an area of a box or a circle. */
  geosearch(
    key: Argument,
    options: Without<GeosearchOptions, 'withCoord' | 'withDist' | 'withHash'>,
  ): Outcome<S, S['text'][]>;
  /** Query a sorted set representing a geospatial index to fetch members inside an area of a box or a circle. */
  geosearch(key: Argument, options: GeosearchOptions): Outcome<S, S['text'][] | FoundPlace<S>[]>;

  /**
   * Query a sorted set representing a geospatial index to fetch members inside an area of a box or a circle, and store the result in another key.
   *
   * Sends GEOSEARCHSTORE. O(N+log(M)) where N is the number of elements in the grid-aligned bounding box area around the shape provided as the filter and M is the number of items inside the shape.
   *
   * @example
   * await store.geoadd('sicily', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' }, { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
   * await store.geosearchstore('near', 'sicily', { fromMember: 'Catania', byBox: { width: 10, height: 10, unit: 'km' } }); // 1
   */
  geosearchstore(
    destination: Argument,
    source: Argument,
    options: GeosearchstoreOptions,
  ): Outcome<S, S['integer']>;
}
