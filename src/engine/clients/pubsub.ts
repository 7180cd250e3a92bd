import { Bytes } from '../../bytes/bytes.js';
import { keySlot } from '../../bytes/crc16.js';
import { globMatch } from '../../bytes/glob.js';
import type { ChannelKind, PubSubPort } from '../../commands/engine-port.js';
import { type Session, SessionGate } from '../../commands/session.js';
import type { Database } from '../../keyspace/database.js';
import { type EffectsListener, EventClass } from '../../keyspace/effects.js';
import { RespWriter } from '../../resp/resp-writer.js';
import type { Engine } from '../engine.js';
import { Message } from './message.js';

type Subscribers = Map<string, Set<Session>>;

/**
 * The subscribers of channels and patterns, whose names are kept as latin1 text. A message is encoded once for each
 * protocol, and all subscribers get the same bytes.
 */
export class PubSub implements PubSubPort, EffectsListener {
  readonly #engine: Engine;
  readonly #global: Subscribers = new Map();
  readonly #shard: Subscribers = new Map();
  readonly #patterns: Subscribers = new Map();
  /** Shard channels with subscribers, by cluster slot. */
  readonly #shardSlots = new Map<number, Set<string>>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get patternCount(): number {
    return this.#patterns.size;
  }

  channels(kind: ChannelKind): Iterable<string> {
    return this.#of(kind).keys();
  }

  subscribers(kind: ChannelKind, channel: string): number {
    return this.#of(kind).get(channel)?.size ?? 0;
  }

  // ---- subscribing ----

  subscribe(session: Session, kind: ChannelKind, channel: string): void {
    add(this.#of(kind), channelsOf(session, kind), session, channel);
    if (kind === 'shard') this.#indexSlot(channel);
    this.#updateGate(session);
    const name = kind === 'global' ? 'subscribe' : 'ssubscribe';
    this.#confirm(session, name, channel, subscriptionCount(session, kind));
  }

  unsubscribe(session: Session, kind: ChannelKind, channel: string): void {
    this.#remove(session, kind, channel);
    this.#confirmUnsubscribed(session, kind, channel);
    this.#updateGate(session);
  }

  unsubscribeFromAll(session: Session, kind: ChannelKind): void {
    const channels = [...channelsOf(session, kind)];
    for (const channel of channels) this.unsubscribe(session, kind, channel);
    if (channels.length === 0) this.#confirmUnsubscribed(session, kind, undefined);
  }

  #confirmUnsubscribed(session: Session, kind: ChannelKind, channel: string | undefined): void {
    const name = kind === 'global' ? 'unsubscribe' : 'sunsubscribe';
    this.#confirm(session, name, channel, subscriptionCount(session, kind));
  }

  subscribePattern(session: Session, pattern: string): void {
    add(this.#patterns, session.patterns, session, pattern);
    this.#updateGate(session);
    this.#confirm(session, 'psubscribe', pattern, subscriptionCount(session, 'global'));
  }

  unsubscribePattern(session: Session, pattern: string): void {
    remove(this.#patterns, session.patterns, session, pattern);
    this.#confirm(session, 'punsubscribe', pattern, subscriptionCount(session, 'global'));
    this.#updateGate(session);
  }

  unsubscribeFromAllPatterns(session: Session): void {
    const patterns = [...session.patterns];
    for (const pattern of patterns) this.unsubscribePattern(session, pattern);
    if (patterns.length === 0) {
      this.#confirm(session, 'punsubscribe', undefined, subscriptionCount(session, 'global'));
    }
  }

  /** Ends all subscriptions without confirmations: the session is closed or reset. */
  drop(session: Session): void {
    if ((session.gates & SessionGate.subscribed) === 0) return;
    for (const kind of ['global', 'shard'] as const) {
      for (const channel of channelsOf(session, kind)) this.#remove(session, kind, channel);
    }
    for (const pattern of session.patterns) remove(this.#patterns, session.patterns, session, pattern);
    this.#updateGate(session);
  }

  #remove(session: Session, kind: ChannelKind, channel: string): void {
    remove(this.#of(kind), channelsOf(session, kind), session, channel);
    if (kind === 'shard') this.#indexSlot(channel);
  }

  /** Keeps `#shardSlots` in step after the channel got or lost a subscriber. */
  #indexSlot(channel: string): void {
    const { buf, start, end } = Bytes.of(channel);
    const slot = keySlot(buf, start, end);
    const channels = this.#shardSlots.get(slot);
    if (this.#shard.has(channel)) {
      if (channels === undefined) this.#shardSlots.set(slot, new Set([channel]));
      else channels.add(channel);
    } else if (channels?.delete(channel) === true && channels.size === 0) {
      this.#shardSlots.delete(slot);
    }
  }

  /** Ends all subscriptions of shard channels in a slot that another node serves now. Subscribers get the confirmation. */
  dropSlot(slot: number): void {
    for (const channel of [...(this.#shardSlots.get(slot) ?? [])]) {
      for (const session of [...(this.#shard.get(channel) ?? [])])
        this.unsubscribe(session, 'shard', channel);
    }
  }

  /** Confirmations are sent like messages, even with CLIENT REPLY OFF. */
  #confirm(session: Session, name: string, channel: string | undefined, count: number): void {
    const writer = scratch;
    writer.reset();
    writer.protocol = session.protocol;
    writer.push(3);
    writer.bulkText(name);
    if (channel === undefined) writer.null();
    else writer.bulkText(channel);
    writer.integer(count);
    this.#engine.send(session, writer.copyFrom(0));
  }

  #updateGate(session: Session): void {
    if (session.channels.size + session.patterns.size + session.shardChannels.size > 0) {
      session.gates |= SessionGate.subscribed;
      session.kind = 'pubsub';
    } else if ((session.gates & SessionGate.subscribed) !== 0) {
      session.gates &= ~SessionGate.subscribed;
      session.kind = 'normal';
    }
  }

  #of(kind: ChannelKind): Subscribers {
    return kind === 'global' ? this.#global : this.#shard;
  }

  // ---- publishing ----

  publish(kind: ChannelKind, channel: Bytes, message: Bytes): number {
    const sessions = channel.fitsText ? this.#of(kind).get(channel.toString()) : undefined;
    let receivers = 0;
    if (sessions !== undefined) {
      const name = kind === 'global' ? 'message' : 'smessage';
      const encoded = new Message((writer) => {
        writer.push(3);
        writer.bulkText(name);
        writer.bulk(channel);
        writer.bulk(message);
      });
      receivers += this.#deliver(sessions, encoded);
    }
    if (kind === 'global' && this.#patterns.size > 0) receivers += this.#publishToPatterns(channel, message);
    return receivers;
  }

  #publishToPatterns(channel: Bytes, message: Bytes): number {
    let receivers = 0;
    for (const [text, sessions] of this.#patterns) {
      const pattern = Bytes.of(text);
      if (!globMatch(pattern.buf, 0, pattern.end, channel.buf, channel.start, channel.end, false)) continue;
      const encoded = new Message((writer) => {
        writer.push(4);
        writer.bulkText('pmessage');
        writer.bulk(pattern);
        writer.bulk(channel);
        writer.bulk(message);
      });
      receivers += this.#deliver(sessions, encoded);
    }
    return receivers;
  }

  #deliver(sessions: ReadonlySet<Session>, message: Message): number {
    for (const session of sessions) this.#engine.send(session, message.for(session.protocol));
    return sessions.size;
  }

  /** Publishes a keyspace event whose class is enabled. */
  keyEvent(db: Database, key: Bytes, event: string): void {
    if (this.#global.size === 0 && this.#patterns.size === 0) return;
    const { enabledEvents } = this.#engine.keyspace.effects;
    const eventBytes = Bytes.of(event);
    if ((enabledEvents & EventClass.keyspace) !== 0) {
      const prefix = Buffer.from(`__keyspace@${db.index}__:`);
      const channel = Buffer.allocUnsafe(prefix.length + key.length);
      prefix.copy(channel);
      key.writeTo(channel, prefix.length);
      this.publish('global', new Bytes(channel), eventBytes);
    }
    if ((enabledEvents & EventClass.keyevent) !== 0) {
      this.publish('global', Bytes.of(`__keyevent@${db.index}__:${event}`), key);
    }
  }
}

const scratch = new RespWriter(1 << 10);

function channelsOf(session: Session, kind: ChannelKind): Set<string> {
  return kind === 'global' ? session.channels : session.shardChannels;
}

/** The number in confirmations: shard channels are counted separately, patterns together with other channels. */
function subscriptionCount(session: Session, kind: ChannelKind): number {
  return kind === 'global' ? session.channels.size + session.patterns.size : session.shardChannels.size;
}

function add(subscribers: Subscribers, own: Set<string>, session: Session, name: string): void {
  own.add(name);
  const sessions = subscribers.get(name);
  if (sessions === undefined) subscribers.set(name, new Set([session]));
  else sessions.add(session);
}

function remove(subscribers: Subscribers, own: Set<string>, session: Session, name: string): void {
  if (!own.delete(name)) return;
  const sessions = subscribers.get(name);
  sessions?.delete(session);
  if (sessions?.size === 0) subscribers.delete(name);
}
