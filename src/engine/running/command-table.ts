import { acl } from '../../commands/acl/index.js';
import { bitmaps } from '../../commands/bitmap/index.js';
import { cluster } from '../../commands/cluster/index.js';
import { connection } from '../../commands/connection/index.js';
import { generic } from '../../commands/generic/index.js';
import { geo } from '../../commands/geo/index.js';
import { hashes } from '../../commands/hash/index.js';
import { hyperloglogs } from '../../commands/hyperloglog/index.js';
import { lists } from '../../commands/list/index.js';
import { pubsub } from '../../commands/pubsub/index.js';
import { scripting } from '../../commands/scripting/index.js';
import { diagnostics, persistence, replication, server } from '../../commands/server/index.js';
import { sets } from '../../commands/set/index.js';
import { sortedSets } from '../../commands/sorted-set/index.js';
import { streams } from '../../commands/stream/index.js';
import { strings } from '../../commands/string/index.js';
import { CommandTable } from '../../commands/table.js';
import { transactions } from '../../commands/transactions/index.js';

/** Every command, family by family. */
export const commandTable = CommandTable.of([
  acl,
  bitmaps,
  cluster,
  connection,
  diagnostics,
  generic,
  geo,
  hashes,
  hyperloglogs,
  lists,
  persistence,
  pubsub,
  replication,
  scripting,
  server,
  sets,
  sortedSets,
  streams,
  strings,
  transactions,
]);
