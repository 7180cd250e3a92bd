import fc from 'fast-check';
import { type Case, type Command, compareCases, generated, unordered } from '../support/index.js';

const SICILY: readonly Case[] = [
  'GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania',
  'GEOADD g 12.758489 38.788135 edge1 17.241510 38.788135 edge2',
];

compareCases('GEOADD', [
  'GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania',
  'ZRANGE g 0 -1 WITHSCORES',
  'GEOADD g 13.361389 38.115556 Palermo',
  'GEOADD g CH 13.361389 38.115557 Palermo 1 1 new',
  'GEOADD g NX 1 2 Palermo 1 2 fresh',
  'GEOADD g XX 1 2 Palermo 1 2 other',
  'GEOADD g XX CH 2 2 Palermo 1 2 other',
  'GEOADD g ch xx ch 3 2 Palermo',
  'GEOADD g NX CH 3 2 Palermo 9 9 nine',
  'ZRANGE g 0 -1 WITHSCORES',
  'OBJECT ENCODING g',
  'GEOADD absent XX 1 1 a',
  'EXISTS absent',
  'GEOADD g NX XX 1 1 a',
  'GEOADD g NX CH CH',
  'GEOADD g NX XX CH',
  'GEOADD g XX CH 1',
  'GEOADD g 1 1',
  'GEOADD g 1 1 a 2',
  'GEOADD g 1 1 a 2 2',
  'GEOADD g x 1 a',
  'GEOADD g 1 x a',
  'GEOADD g nan 1 a',
  'GEOADD g inf 1 a',
  'GEOADD g 1 -inf a',
  'GEOADD g GT 1 1 a',
  'GEOADD g 1 1 a x 1 b',
  'GEOADD g 200 100 a',
  'GEOADD g 1 1 a 181 1 b',
  'GEOADD g 1e300 1e20 a',
  'GEOADD g 1 85.06 a',
  'GEOADD g -180.000001 1 a',
  'ZCARD g',
  'SET s x',
  'GEOADD s 1 1 a',
  'GEOADD s x 1 a',
  'GEOADD s 200 1 a',
]);

const LIMITS = ['-180', '180', '-179.9999999', '179.9999999', '0', '-0', '1e-300'];
const LATITUDES = ['-85.05112878', '85.05112878', '85.0511287', '-85.0511287', '0', '45', '1e-9'];

compareCases('positions on the limits of the map', [
  ...LIMITS.flatMap((longitude) =>
    LATITUDES.flatMap((latitude): Case[] => [
      ['GEOADD', 'g', longitude, latitude, `${longitude},${latitude}`],
      ['ZSCORE', 'g', `${longitude},${latitude}`],
      ['GEOPOS', 'g', `${longitude},${latitude}`],
      ['GEOHASH', 'g', `${longitude},${latitude}`],
    ]),
  ),
  'ZRANGE g 0 -1 WITHSCORES',
  ...LIMITS.flatMap((longitude) =>
    LATITUDES.flatMap((latitude) =>
      ['1 m', '10 km', '5000 km', '30000 km'].map((radius): Case => {
        return `GEOSEARCH g FROMLONLAT ${longitude} ${latitude} BYRADIUS ${radius} WITHDIST WITHHASH WITHCOORD`;
      }),
    ),
  ),
]);

compareCases('GEOPOS, GEOHASH and GEODIST', [
  ...SICILY,
  'GEOPOS g Palermo Catania absent',
  'GEOPOS g',
  'GEOPOS absent a b',
  'GEOPOS absent',
  'GEOHASH g Palermo Catania absent',
  'GEOHASH g',
  'GEOHASH absent a b',
  'GEOADD h -5.6 42.6 test',
  'GEOHASH h test',
  ...['', 'm', 'KM', 'ft', 'Mi', 'parsec', 'mm', 'm m'].map(
    (unit): Case => `GEODIST g Palermo Catania ${unit}`,
  ),
  'GEODIST g Palermo Palermo',
  'GEODIST g Palermo absent',
  'GEODIST g absent Palermo',
  'GEODIST absent a b',
  'GEODIST absent a b parsec',
  'GEODIST g Palermo',
  'SET s x',
  'GEOPOS s a',
  'GEOHASH s a',
  'GEODIST s a b',
  'GEODIST s a b parsec',
  'GEODIST s a b m m',
  // Scores that GEOADD never stores.
  'ZADD z -1 a -1.5 b 0 c 1.9 d inf e -inf f 1e19 g -1e19 h 1e20 i 9007199254740993 j 1e308 k -0.5 l 4503599627370495.5 m',
  'ZADD z 18446744073709549568 n 9223372036854775808 o 4503599627370496 p -9223372036854775808 q',
  'GEOPOS z a b c d e f g h i j k l m n o p q',
  'GEOHASH z a b c d e f g h i j k l m n o p q',
  ...'abcdefghijklmnopq'
    .split('')
    .flatMap((member): Case[] => [
      `GEODIST z a ${member}`,
      `GEORADIUSBYMEMBER z ${member} 10 km WITHDIST WITHHASH`,
      `GEORADIUSBYMEMBER z ${member} 30000 km WITHDIST WITHHASH`,
    ]),
]);

const CITIES: readonly Case[] = [
  [
    'GEOADD',
    'c',
    ...['-73.9454966', '40.747533', 'central park n/q/r', '-73.9733487', '40.7648057', '4545'],
    ...['-73.9903085', '40.7362513', 'union square', '-74.0131604', '40.7126674', 'wtc one'],
    ...['-73.7858139', '40.6428986', 'jfk', '-73.9375699', '40.7498929', 'q4'],
    ...['2.3522', '48.8566', 'paris', '139.6917', '35.6895', 'tokyo', '151.2093', '-33.8688', 'sydney'],
    ...['-179.9', '10', 'west', '179.9', '10', 'east', '0', '85', 'north', '0', '-85', 'south'],
  ],
];

const CENTRES = [
  '-73.9798091 40.7598464',
  '0 0',
  '179.95 10',
  '-180 10',
  '180 -10',
  '10 84',
  '10 -84',
  '139 35',
];
const RADII = ['0 m', '3 km', '500 km', '7000 km', '12000 mi', '1e9 ft', 'inf m', '1e-10 m'];

compareCases('every search, in the order that Redis finds members', [
  ...CITIES,
  ...CENTRES.flatMap((centre) =>
    RADII.flatMap((radius): Case[] => [
      `GEORADIUS c ${centre} ${radius}`,
      `GEORADIUS_RO c ${centre} ${radius} WITHDIST WITHCOORD WITHHASH`,
      `GEORADIUS c ${centre} ${radius} WITHDIST ASC`,
      `GEORADIUS c ${centre} ${radius} WITHDIST DESC`,
      `GEORADIUS c ${centre} ${radius} WITHDIST COUNT 3`,
      `GEORADIUS c ${centre} ${radius} WITHDIST COUNT 3 DESC`,
      `GEORADIUS c ${centre} ${radius} WITHDIST COUNT 3 ANY`,
      `GEORADIUS c ${centre} ${radius} WITHDIST COUNT 3 ANY DESC`,
      `GEOSEARCH c FROMLONLAT ${centre} BYRADIUS ${radius} WITHDIST`,
      `GEORADIUS c ${centre} ${radius} STORE d`,
      'ZRANGE d 0 -1 WITHSCORES',
      'EXISTS d',
    ]),
  ),
  ...CENTRES.flatMap((centre) =>
    [
      '1 1 m',
      '400 400 km',
      '1000 10 km',
      '10 1000 km',
      '30000 100 km',
      '100 30000 mi',
      '0 0 ft',
      '5e4 5e4 km',
    ].flatMap((box): Case[] => [
      `GEOSEARCH c FROMLONLAT ${centre} BYBOX ${box}`,
      `GEOSEARCH c FROMLONLAT ${centre} BYBOX ${box} WITHDIST WITHHASH WITHCOORD DESC`,
      `GEOSEARCH c BYBOX ${box} FROMLONLAT ${centre} COUNT 2 ANY`,
      `GEOSEARCHSTORE d c FROMLONLAT ${centre} BYBOX ${box} COUNT 3`,
      'ZRANGE d 0 -1 WITHSCORES',
    ]),
  ),
  ...['jfk', 'west', 'east', 'north', 'south', 'sydney', 'absent'].flatMap((member) =>
    RADII.flatMap((radius): Case[] => [
      `GEORADIUSBYMEMBER c ${member} ${radius} WITHDIST`,
      `GEORADIUSBYMEMBER_RO c ${member} ${radius} WITHCOORD COUNT 2`,
      `GEOSEARCH c FROMMEMBER ${member} BYRADIUS ${radius} ASC`,
      `GEORADIUSBYMEMBER c ${member} ${radius} STORE d`,
      'ZRANGE d 0 -1 WITHSCORES',
    ]),
  ),
]);

compareCases('arguments of searches', [
  ...SICILY,
  'SET s x',
  ...['g', 'absent', 's'].flatMap((key): Case[] => [
    `GEORADIUS ${key} 15 37 200`,
    `GEORADIUS ${key} x 37 200 km`,
    `GEORADIUS ${key} 15 x 200 km`,
    `GEORADIUS ${key} 15 370 200 km`,
    `GEORADIUS ${key} 15 37 x km`,
    `GEORADIUS ${key} 15 37 nan km`,
    `GEORADIUS ${key} 15 37 -1 km`,
    `GEORADIUS ${key} 15 37 -1 parsec`,
    `GEORADIUS ${key} 15 37 200 parsec`,
    `GEORADIUS ${key} 15 37 200 km FOO`,
    `GEORADIUS ${key} 15 37 200 km COUNT`,
    `GEORADIUS ${key} 15 37 200 km COUNT 0`,
    `GEORADIUS ${key} 15 37 200 km COUNT -1`,
    `GEORADIUS ${key} 15 37 200 km COUNT x`,
    `GEORADIUS ${key} 15 37 200 km COUNT 9223372036854775807`,
    `GEORADIUS ${key} 15 37 200 km ANY`,
    `GEORADIUS ${key} 15 37 200 km ANY COUNT 1`,
    `GEORADIUS ${key} 15 37 200 km COUNT 1 COUNT 2`,
    `GEORADIUS ${key} 15 37 200 KM ASC DESC`,
    `GEORADIUS ${key} 15 37 200 km STORE`,
    `GEORADIUS ${key} 15 37 200 km STOREDIST`,
    `GEORADIUS ${key} 15 37 200 km STORE a STOREDIST b`,
    `GEORADIUS ${key} 15 37 200 km STORE a WITHDIST`,
    `GEORADIUS ${key} 15 37 200 km WITHCOORD STOREDIST a`,
    `GEORADIUS ${key} 15 37 200 km WITHHASH STOREDIST a ANY`,
    `GEORADIUS ${key} 15 37 200 km FROMMEMBER Palermo`,
    `GEORADIUS ${key} 15 37 200 km BYRADIUS 1 km`,
    `GEORADIUS_RO ${key} 15 37 200 km STORE a`,
    `GEORADIUS_RO ${key} 15 37 200 km STOREDIST a`,
    `GEORADIUSBYMEMBER_RO ${key} Palermo 200 km STORE a`,
    `GEORADIUSBYMEMBER ${key} Palermo x km`,
    `GEORADIUSBYMEMBER ${key} Palermo -1 km`,
    `GEORADIUSBYMEMBER ${key} Palermo 1 parsec`,
    `GEORADIUSBYMEMBER ${key} Nowhere x parsec`,
    `GEORADIUSBYMEMBER ${key} Nowhere 1 km FOO`,
    `GEORADIUSBYMEMBER ${key} Palermo 1 km FOO`,
    `GEORADIUSBYMEMBER ${key} Palermo 1 parsec STORE a WITHDIST`,
    `GEORADIUSBYMEMBER ${key} Palermo 1 km ANY`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYRADIUS 200 km FROMMEMBER Catania`,
    `GEOSEARCH ${key} FROMMEMBER Palermo FROMLONLAT 15 37 BYRADIUS 200 km`,
    `GEOSEARCH ${key} FROMLONLAT 15 37 FROMMEMBER Palermo BYRADIUS 200 km`,
    `GEOSEARCH ${key} FROMLONLAT 15 37 FROMLONLAT 13 38 BYRADIUS 100 km`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYRADIUS 200 km BYBOX 1 1 km`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYBOX 1 1 km BYRADIUS 200 km`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYBOX 1 1 km BYBOX 400 400 km`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYRADIUS 1 m BYRADIUS 200 km WITHDIST`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYRADIUS 200 km STOREDIST`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYRADIUS 200 km STORE a`,
    `GEOSEARCH ${key} FROMMEMBER Nowhere BYRADIUS 200 km`,
    `GEOSEARCH ${key} FROMMEMBER Nowhere BYRADIUS 200 parsec`,
    `GEOSEARCH ${key} BYRADIUS 200 parsec FROMMEMBER Nowhere`,
    `GEOSEARCH ${key} BYRADIUS x km FROMMEMBER Palermo`,
    `GEOSEARCH ${key} BYRADIUS -1 km FROMMEMBER Palermo`,
    `GEOSEARCH ${key} BYBOX x 1 km FROMMEMBER Palermo`,
    `GEOSEARCH ${key} BYBOX 1 x km FROMMEMBER Palermo`,
    `GEOSEARCH ${key} BYBOX -1 1 parsec FROMMEMBER Palermo`,
    `GEOSEARCH ${key} BYBOX 1 -1 km FROMMEMBER Palermo`,
    `GEOSEARCH ${key} BYBOX 1 1 parsec FROMMEMBER Palermo`,
    `GEOSEARCH ${key} FROMLONLAT 500 1 BYBOX 1 1 km`,
    `GEOSEARCH ${key} FROMLONLAT 1 x BYBOX 1 1 km`,
    `GEOSEARCH ${key} BYBOX 1 1 km ASC COUNT 3`,
    `geoSearch ${key} FROMMEMBER Palermo ASC COUNT 3`,
    `GEOSEARCH ${key} ASC DESC ASC COUNT 3`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYBOX 1 1`,
    `GEOSEARCH ${key} FROMMEMBER Palermo BYRADIUS 1`,
    `GEOSEARCH ${key} BYRADIUS 1 km FROMLONLAT 1`,
    `GEOSEARCH ${key} BYRADIUS 1 km ASC FROMMEMBER`,
    `GEOSEARCH ${key} BYRADIUS 1 km FROMMEMBER Palermo ANY`,
    `GEOSEARCHSTORE d ${key} FROMMEMBER Palermo BYRADIUS 200 km`,
    `GEOSEARCHSTORE d ${key} FROMMEMBER Palermo BYRADIUS 200 km STOREDIST`,
    'ZRANGE d 0 -1 WITHSCORES',
    `GEOSEARCHSTORE d ${key} FROMMEMBER Palermo BYRADIUS 200 km STOREDIST x`,
    `GEOSEARCHSTORE d ${key} FROMMEMBER Palermo BYRADIUS 200 km STORE x`,
    `GEOSEARCHSTORE d ${key} FROMMEMBER Palermo BYRADIUS 200 km WITHDIST`,
    `GEOSEARCHSTORE d ${key} FROMMEMBER Palermo BYRADIUS 200 km ANY`,
    `geosearchstore d ${key} BYRADIUS 200 km ASC ASC`,
    unordered('KEYS *'),
  ]),
  'GEOADD',
  'GEOSEARCH g',
  'GEOSEARCHSTORE d g',
  'GEORADIUS g 1 2 3',
  'GEORADIUSBYMEMBER g a 1',
]);

compareCases('stored results', [
  ...SICILY,
  'GEORADIUS g 15 37 200 km STORE d',
  'ZRANGE d 0 -1 WITHSCORES',
  'GEORADIUS g 15 37 200 km STOREDIST d',
  'ZRANGE d 0 -1',
  'GEORADIUSBYMEMBER g Palermo 300 km ASC COUNT 2 STORE d',
  'ZRANGE d 0 -1 WITHSCORES',
  'OBJECT ENCODING d',
  'GEOSEARCHSTORE d g FROMLONLAT 15 37 BYBOX 400 400 km DESC COUNT 3',
  'ZRANGE d 0 -1 WITHSCORES',
  'EXPIRE d 100',
  'GEOSEARCHSTORE d g FROMLONLAT 15 37 BYBOX 400 400 km',
  'TTL d',
  'GEOSEARCHSTORE g g FROMLONLAT 15 37 BYRADIUS 200 km',
  'ZRANGE g 0 -1 WITHSCORES',
  'RPUSH l x',
  'GEOSEARCHSTORE l g FROMLONLAT 15 37 BYRADIUS 200 km',
  'TYPE l',
  'GEOSEARCHSTORE l g FROMLONLAT 100 37 BYRADIUS 1 km',
  'EXISTS l',
  'GEOSEARCHSTORE l g FROMLONLAT 100 37 BYRADIUS 1 km',
  'GEORADIUS absent 15 37 200 km STORE d',
  'EXISTS d',
  'GEORADIUS absent 15 37 200 km STORE d',
  'GEORADIUSBYMEMBER absent x 200 km',
  ['GEOADD', 'long', '1', '1', 'x'.repeat(100), '1', '1', 'short'],
  'GEOSEARCHSTORE d long FROMLONLAT 1 1 BYRADIUS 1 km',
  'OBJECT ENCODING d',
  'CONFIG SET zset-max-listpack-entries 1',
  'GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km',
  'OBJECT ENCODING d',
]);

/** Many members at few positions, to test ties and the order of results. */
function crowd(count: number): Command {
  const words = Array.from({ length: count }, (_, i) => [
    String(((i * 7919) % 13) / 10),
    String(((i * 104_729) % 11) / 10),
    `m${i}`,
  ]);
  return ['GEOADD', 'crowd', ...words.flat()];
}

compareCases('members at equal distances are in the order of Redis’s sorting', [
  ...[5, 6, 7, 8, 20, 40, 41, 100, 300].flatMap((count): Case[] => [
    crowd(count),
    'OBJECT ENCODING crowd',
    ...['', 'ASC', 'DESC'].flatMap((order): Case[] => [
      `GEOSEARCH crowd FROMLONLAT 0.5 0.5 BYRADIUS 200 km ${order}`,
      ...[1, 2, 3, 5, 10, 50, 150].flatMap((limit): Case[] => [
        `GEOSEARCH crowd FROMLONLAT 0.5 0.5 BYRADIUS 200 km COUNT ${limit} ${order}`,
        `GEOSEARCH crowd FROMLONLAT 0.5 0.5 BYRADIUS 200 km COUNT ${limit} ANY ${order}`,
        `GEOSEARCH crowd FROMMEMBER m0 BYBOX 100 100 km COUNT ${limit} ${order}`,
      ]),
    ]),
  ]),
]);

const key = fc.constantFrom('g', 'h', 'k');
const member = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const longitude = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.integer({ min: -1801, max: 1801 }).map((tenths) => tenths / 10),
  fc.constantFrom(-180, 180, 0, 179.99, -179.99),
);
const latitude = fc.oneof(
  fc.double({ min: -85.05112878, max: 85.05112878, noNaN: true }),
  fc.integer({ min: -851, max: 851 }).map((tenths) => tenths / 10),
  fc.constantFrom(-85.05112878, 85.05112878, 66, 80, -66, -80),
);
const length = fc.oneof(
  fc.double({ min: 0, max: 3e7, noNaN: true }),
  fc.nat(12).map((power) => 10 ** power),
);
const unit = fc.constantFrom('m', 'km', 'ft', 'mi');
const text = (value: number): string => String(value);
const point = fc.tuple(longitude.map(text), latitude.map(text));
const from = fc.oneof(
  point.map((words) => ['FROMLONLAT', ...words]),
  member.map((name) => ['FROMMEMBER', name]),
);
const by = fc.oneof(
  fc.tuple(length.map(text), unit).map((words) => ['BYRADIUS', ...words]),
  fc.tuple(length.map(text), length.map(text), unit).map((words) => ['BYBOX', ...words]),
);
const limit = fc.constantFrom([], [], ['COUNT', '2'], ['COUNT', '2', 'ANY'], ['COUNT', '10']);
const order = fc.constantFrom([], [], ['ASC'], ['DESC']);
const details = fc.subarray(['WITHDIST', 'WITHCOORD', 'WITHHASH']);

const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        key,
        fc.constantFrom([], ['CH'], ['NX'], ['XX', 'CH']),
        fc.array(fc.tuple(point, member), { minLength: 1 }),
      )
      .map(([name, options, members]) => ['GEOADD', name, ...options, ...members.flat(2)]),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('GEOPOS', 'GEOHASH'), key, member, member) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('GEODIST'), key, member, member, unit) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(key, from, by, limit, order, details)
      .map(([name, ...options]) => ['GEOSEARCH', name, ...options.flat()]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(key, key, from, by, limit, order)
      .map(([to, name, ...options]) => ['GEOSEARCHSTORE', to, name, ...options.flat()]),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('ZREM'), key, member) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('DEL'), key) },
);

generated('geo', command, { runs: 40, steps: 80 });
