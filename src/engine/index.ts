/**
 * `sorrel/engine`: Redis without sockets. A session sends commands; replies are written as RESP.
 *
 * @example
 * import { Bytes, Engine, RespWriter } from 'sorrel/engine';
 *
 * const engine = new Engine();
 * const session = engine.openSession(silentSink);
 * const replies = new RespWriter();
 * engine.beginTurn();
 * engine.execute(session, [Bytes.of('SET'), Bytes.of('greeting'), Bytes.of('hello')], 3, replies);
 * engine.execute(session, [Bytes.of('GET'), Bytes.of('greeting')], 2, replies);
 * engine.endTurn();
 * replies.copyFrom(0).toString(); // '+OK\r\n$5\r\nhello\r\n'
 * engine.close();
 */
export { Bytes } from '../bytes/bytes.js';
export { type Clock, ManualClock, systemClock } from '../bytes/clock.js';
export { type RandomSource, seededRandom, systemRandom } from '../bytes/random.js';
export { Settings } from '../commands/config/settings.js';
export { type OutputSink, Session, silentSink } from '../commands/session.js';
export { RespWriter } from '../resp/resp-writer.js';
export { Engine, type EngineOptions } from './engine.js';
export { systemTimers, type Timers } from './timers.js';
