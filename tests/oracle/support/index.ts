export { type Server, startRedis, startSorrel } from '../../support/fleet/index.js';
export {
  type Case,
  closed,
  compareCases,
  type GroupOptions,
  ignore,
  near,
  on,
  raw,
  receive,
  silent,
  start,
  typeOnly,
  unordered,
} from './cases.js';
export { type Argument, argumentsOf, type Command, encode, show } from './command.js';
export { integersWithin, type Tolerance } from './comparison.js';
export { type GeneratedCommand, type GeneratedOptions, generated } from './generated.js';
export { compareLive, type LivePair } from './live.js';
export { type ConnectionPair, serveWith } from './pair.js';
export { ConnectionClosed, NoReply, type Protocol, RawClient } from './raw-client.js';
export { bytesOf, itemsOf, type Plain, plain, printable, type Reply } from './reply.js';
export { ReplyReader } from './reply-reader.js';
