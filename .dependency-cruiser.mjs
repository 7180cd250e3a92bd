/**
 * Which folder may import which. A folder that is not in this table may not exist under src.
 * `npm run check:imports` enforces it.
 */
const BASE = ['bytes'];
const VALUES = ['structures', ...BASE];
/** Effects are recorded as clients send commands, which only `resp` knows how to write. */
const EFFECTS = ['resp', ...VALUES];
const KEYSPACE = ['keyspace', ...EFFECTS];
const RDB = ['rdb', ...KEYSPACE];
const COMMANDS = ['commands', ...RDB];
const ENGINE = ['engine', 'lua', ...COMMANDS];
const PERSISTENCE = ['persistence', ...ENGINE];
const DISTRIBUTION = ['replication', 'sentinel', 'cluster'];

export const MAY_IMPORT = {
  bytes: [],
  structures: BASE,
  resp: BASE,
  lua: BASE,
  keyspace: EFFECTS,
  rdb: KEYSPACE,
  commands: RDB,
  engine: ['lua', ...COMMANDS],
  persistence: ENGINE,
  replication: PERSISTENCE,
  sentinel: ['replication', ...PERSISTENCE],
  cluster: ['replication', ...PERSISTENCE],
  server: [...DISTRIBUTION, ...PERSISTENCE],
  store: ['replication', ...PERSISTENCE],
  kit: ['store'],
  testing: ['store'],
  console: ['kit', 'store', ...ENGINE],
  cli: ['console', 'server', 'store', 'kit', 'cluster', ...PERSISTENCE],
};

/** Folders that compute and do nothing else: no files, sockets, timers or processes. */
const PURE = ['bytes', 'structures', 'resp', 'lua', 'keyspace', 'rdb', 'commands'];
const PURE_BUILTINS = ['buffer', 'crypto', 'util'];

const TESTS = '\\.test\\.ts$';
/** Joined into files of their own by `scripts/bundle-browser.mjs`, with the packages they use. */
const BROWSER = '^src/console/browser/';

function folderRule([folder, allowed]) {
  const own = [folder, ...allowed].join('|');
  const rule = {
    name: `${folder}-may-import`,
    comment: `${folder} may import ${allowed.join(', ') || 'no other folder'}.`,
    severity: 'error',
    from: { path: `^src/${folder}/` },
    to: { path: '^src/', pathNot: `^src/(${own})/` },
  };
  if (folder !== 'store') return [rule];
  // `listen` loads the server when it is called: an embedded store that never listens does not pay for it.
  const onDemand = {
    ...rule,
    name: 'store-loads-server-on-demand',
    to: { path: '^src/server/', dynamic: false },
  };
  rule.to.pathNot = `^src/(${own}|server)/`;
  return [rule, onDemand];
}

export default {
  forbidden: [
    ...Object.entries(MAY_IMPORT).flatMap(folderRule),
    {
      name: 'browser-knows-types',
      comment: 'The part of the console for browsers imports itself, and the types of the API.',
      severity: 'error',
      from: { path: BROWSER },
      to: { path: '^src/', pathNot: '^src/console/(browser|types)/' },
    },
    {
      name: 'no-cycles',
      comment: 'Modules may not import each other in a circle (types may refer to each other).',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'pure-folders',
      comment: `${PURE.join(', ')} use no part of Node but ${PURE_BUILTINS.join(', ')}.`,
      severity: 'error',
      from: { path: `^src/(${PURE.join('|')})/`, pathNot: TESTS },
      to: { dependencyTypes: ['core'], pathNot: `^(node:)?(${PURE_BUILTINS.join('|')})$` },
    },
    {
      name: 'no-development-packages',
      comment: 'What is shipped imports only packages that are installed with it.',
      severity: 'error',
      from: { path: '^src/', pathNot: `${TESTS}|${BROWSER}` },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that is not found is an import that is not checked.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
