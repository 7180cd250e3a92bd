/** Words that Redis writes without a separator. */
const WORDS: Readonly<Record<string, string>> = {
  absttl: 'absTtl',
  aclcat: 'aclCat',
  bybox: 'byBox',
  bylex: 'byLex',
  byradius: 'byRadius',
  byscore: 'byScore',
  entriesadded: 'entriesAdded',
  entriesread: 'entriesRead',
  exat: 'exAt',
  filterby: 'filterBy',
  fromlonlat: 'fromLonLat',
  frommember: 'fromMember',
  idletime: 'idleTime',
  justid: 'justId',
  keepttl: 'keepTtl',
  lastid: 'lastId',
  libraryname: 'libraryName',
  maxdeletedid: 'maxDeletedId',
  maxlen: 'maxLen',
  minmatchlen: 'minMatchLen',
  mkstream: 'mkStream',
  noack: 'noAck',
  nomkstream: 'noMkStream',
  pxat: 'pxAt',
  retrycount: 'retryCount',
  skipme: 'skipMe',
  storedist: 'storeDist',
  withcode: 'withCode',
  withcoord: 'withCoord',
  withdist: 'withDist',
  withhash: 'withHash',
  withmatchlen: 'withMatchLen',
  withscores: 'withScores',
  withvalues: 'withValues',
};

/** Names that a parameter cannot or should not have. */
const RENAMED: Readonly<Record<string, string>> = {
  arg: 'value',
  function: 'functionName',
  index_unit: 'unit',
  timeout_error: 'how',
};

export function camelCase(name: string): string {
  const [first = '', ...rest] = name.split(/[^A-Za-z0-9]+/);
  return [first, ...rest.map(capitalized)].join('');
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The option for a token: `WITHSCORES` is `withScores`. */
export function optionName(token: string): string {
  const lower = token.toLowerCase();
  return WORDS[lower] ?? lower;
}

export function parameterName(name: string): string {
  return RENAMED[name] ?? camelCase(name);
}

/** `config|get` is `configGet`. */
export function methodName(fullName: string): string {
  return camelCase(fullName);
}
