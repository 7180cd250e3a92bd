/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Shape } from '../value.js';
import { bitmapMethods } from './methods/bitmap.js';
import { connectionMethods } from './methods/connection.js';
import { genericMethods } from './methods/generic.js';
import { geoMethods } from './methods/geo.js';
import { hashMethods } from './methods/hash.js';
import { hyperloglogMethods } from './methods/hyperloglog.js';
import { listMethods } from './methods/list.js';
import { pubsubMethods } from './methods/pubsub.js';
import { scriptingMethods } from './methods/scripting.js';
import { serverMethods } from './methods/server.js';
import { setMethods } from './methods/set.js';
import { sortedSetMethods } from './methods/sorted-set.js';
import { streamMethods } from './methods/stream.js';
import { stringMethods } from './methods/string.js';
import type { BitmapCommands } from './types/bitmap.js';
import type { ConnectionCommands } from './types/connection.js';
import type { GenericCommands } from './types/generic.js';
import type { GeoCommands } from './types/geo.js';
import type { HashCommands } from './types/hash.js';
import type { HyperloglogCommands } from './types/hyperloglog.js';
import type { ListCommands } from './types/list.js';
import type { PubsubCommands } from './types/pubsub.js';
import type { ScriptingCommands } from './types/scripting.js';
import type { ServerCommands } from './types/server.js';
import type { SetCommands } from './types/set.js';
import type { SortedSetCommands } from './types/sorted-set.js';
import type { StreamCommands } from './types/stream.js';
import type { StringCommands } from './types/string.js';

export type * from './types/bitmap.js';
export type * from './types/connection.js';
export type * from './types/generic.js';
export type * from './types/geo.js';
export type * from './types/hash.js';
export type * from './types/hyperloglog.js';
export type * from './types/list.js';
export type * from './types/pubsub.js';
export type * from './types/scripting.js';
export type * from './types/server.js';
export type * from './types/set.js';
export type * from './types/sorted-set.js';
export type * from './types/stream.js';
export type * from './types/string.js';

/** Every command as a method. `S` is the shape of replies. */
export interface Commands<S extends Shape>
  extends BitmapCommands<S>,
    ConnectionCommands<S>,
    GenericCommands<S>,
    GeoCommands<S>,
    HashCommands<S>,
    HyperloglogCommands<S>,
    ListCommands<S>,
    PubsubCommands<S>,
    ScriptingCommands<S>,
    ServerCommands<S>,
    SetCommands<S>,
    SortedSetCommands<S>,
    StreamCommands<S>,
    StringCommands<S> {}

/** The code of all methods. They call `this.run`. */
export const commandMethods = {
  ...bitmapMethods,
  ...connectionMethods,
  ...genericMethods,
  ...geoMethods,
  ...hashMethods,
  ...hyperloglogMethods,
  ...listMethods,
  ...pubsubMethods,
  ...scriptingMethods,
  ...serverMethods,
  ...setMethods,
  ...sortedSetMethods,
  ...streamMethods,
  ...stringMethods,
};
