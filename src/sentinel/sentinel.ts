import { Bytes } from '../bytes/bytes.js';
import type { LogLevel } from '../commands/host-port.js';
import type { Engine } from '../engine/engine.js';
import { randomId } from '../replication/world.js';
import { Addresses, isSameAddress, type ResolvedAddress } from './address.js';
import { configurationLines } from './configuration-lines.js';
import { checkObjectivelyDown, checkSubjectivelyDown } from './down-detection.js';
import { advanceFailover, startFailoverIfNeeded, switchToPromoted } from './failover.js';
import { type Instance, Master, OtherSentinel, Replica } from './instance.js';
import { InstanceRefused } from './instance-refused.js';
import { askOtherSentinels } from './majority.js';
import { reconnect, sendPeriodicRequests } from './monitoring.js';
import { DEFAULT_PERIODS, type Periods } from './periods.js';
import { Scripts } from './scripts.js';
import type { SentinelWorld } from './sentinel-world.js';

/**
 * A Sentinel: watches masters, their replicas and the other Sentinels, and makes a replica the master when enough Sentinels
 * agree that the master is down.
 *
 * Everything happens in `tick`, several times a second, and when replies and messages arrive. Every change of the state that
 * others rely on (epochs, votes, addresses) is stored in the configuration file before it is told to anyone.
 */
export class Sentinel {
  readonly engine: Engine;
  readonly world: SentinelWorld;
  readonly periods: Periods = { ...DEFAULT_PERIODS };
  readonly addresses: Addresses;
  readonly scripts: Scripts;
  readonly masters = new Map<string, Master>();
  id = '';
  epoch = 0;
  announcedHost = '';
  announcedPort = 0;
  /** The user and password with which it authenticates to other Sentinels. */
  user = '';
  password = '';
  deniesScriptChanges = true;
  /** When the clock jumped; undefined if time passes as it should. Until some time later nothing is decided. */
  tiltSince: number | undefined;
  /** SENTINEL SIMULATE-FAILURE */
  crashesAfterElection = false;
  crashesAfterPromotion = false;
  #lastTickAt = 0;
  #cancelTick: (() => void) | undefined;

  constructor(engine: Engine, world: SentinelWorld) {
    this.engine = engine;
    this.world = world;
    this.addresses = new Addresses((host) => world.resolve(host));
    this.scripts = new Scripts(world, this.periods);
    this.scripts.onEvent = (level, type, text) => this.tell(level, type, text);
  }

  get now(): number {
    return this.world.clock.now();
  }

  /** Called when the configuration is complete. */
  start(): void {
    if (this.id === '') {
      this.id = randomId(this.world.random);
      this.flush();
    }
    this.log('warning', `Sentinel ID is ${this.id}`);
    for (const master of this.masters.values()) {
      this.event('warning', '+monitor', master, ` quorum ${master.quorum}`);
    }
    this.#lastTickAt = this.now;
    this.#tickLater();
  }

  close(): void {
    this.#cancelTick?.();
    this.scripts.close();
    for (const master of this.masters.values()) this.#release(master);
  }

  // ---- time ----

  /** Ten to twenty times a second, at random, so that Sentinels do not stay in step and split their votes. */
  #tickLater(): void {
    this.#cancelTick = this.world.timers.after(1000 / (10 + this.world.random.integer(10)), () => {
      this.tick();
      this.#tickLater();
    });
  }

  tick(): void {
    this.#checkClock();
    for (const master of [...this.masters.values()]) this.#attend(master);
    this.scripts.tick();
  }

  /** The process was stopped, or the clock was set: what is known is not reliable for a while. */
  #checkClock(): void {
    const { now } = this;
    const passed = now - this.#lastTickAt;
    this.#lastTickAt = now;
    if (passed >= 0 && passed <= this.periods['tilt-trigger']) return;
    this.tiltSince = now;
    this.tell('warning', '+tilt', '#tilt mode entered');
  }

  #attend(master: Master): void {
    this.#handle(master);
    for (const replica of [...master.replicas.values()]) this.#handle(replica);
    for (const sentinel of [...master.sentinels.values()]) this.#handle(sentinel);
    if (master.failoverState === 'update_config') switchToPromoted(this, master);
  }

  #handle(instance: Instance): void {
    reconnect(this, instance);
    sendPeriodicRequests(this, instance);
    if (this.tiltSince !== undefined) {
      if (this.now - this.tiltSince < this.periods['tilt-period']) return;
      this.tiltSince = undefined;
      this.tell('warning', '-tilt', '#tilt mode exited');
    }
    checkSubjectivelyDown(this, instance);
    if (!(instance instanceof Master)) return;
    checkObjectivelyDown(this, instance);
    if (startFailoverIfNeeded(this, instance)) askOtherSentinels(this, instance, true);
    advanceFailover(this, instance);
    askOtherSentinels(this, instance, false);
  }

  // ---- events ----

  log(level: LogLevel, message: string): void {
    this.engine.host.log(level, message);
  }

  /** Reports something that concerns an instance: its description, followed by `more`. */
  event(level: LogLevel, type: string, instance: Instance, more = ''): void {
    this.tell(level, type, `${this.describe(instance)}${more}`, instance.master);
  }

  /** Logs an event, publishes it on the channel of its name and, if it is a warning, runs the master's script. */
  tell(level: LogLevel, type: string, text: string, master?: Master): void {
    this.log(level, `${type} ${text}`);
    if (level !== 'debug') this.engine.pubsub.publish('global', Bytes.of(type), Bytes.of(text));
    if (level === 'warning' && master?.notificationScript !== undefined) {
      this.scripts.schedule([master.notificationScript, type, text]);
    }
  }

  /** `slave 127.0.0.1:6380 127.0.0.1 6380 @ mymaster 127.0.0.1 6379` */
  describe(instance: Instance): string {
    const own = `${instance.kind} ${instance.name} ${this.addresses.announced(instance.address)} ${instance.address.port}`;
    if (instance instanceof Master) return own;
    const { name, address } = instance.master;
    return `${own} @ ${name} ${this.addresses.announced(address)} ${address.port}`;
  }

  /** Tells clients by the administrator's script that the master has another address. */
  runReconfigScript(
    master: Master,
    role: 'leader' | 'observer',
    from: ResolvedAddress,
    to: ResolvedAddress,
  ): void {
    if (master.reconfigScript === undefined) return;
    const words = [from, to].flatMap((address) => [this.addresses.announced(address), String(address.port)]);
    this.scripts.schedule([master.reconfigScript, master.name, role, 'start', ...words]);
  }

  /** Stores the state. False if that failed: it is tried again with the next change. */
  flush(): boolean {
    try {
      this.world.save(configurationLines(this));
      this.log('notice', 'Sentinel new configuration saved on disk');
      return true;
    } catch (error) {
      this.log(
        'warning',
        `WARNING: Sentinel was not able to save the new configuration on disk!!!: ${(error as Error).message}`,
      );
      return false;
    }
  }

  /** A later epoch than ours was seen. */
  adoptEpoch(epoch: number, master: Master): void {
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.flush();
    this.tell('warning', '+new-epoch', String(epoch), master);
  }

  // ---- the watched servers ----

  addMaster(name: string, host: string, port: number, quorum: number): Master {
    const address = this.#address(host, port);
    if (this.masters.has(name)) throw new InstanceRefused('ERR Duplicate master name.');
    const times = {
      downAfter: this.periods['default-down-after'],
      failoverTimeout: this.periods['default-failover-timeout'],
    };
    const master = new Master(name, address, quorum, times, this.now);
    this.masters.set(name, master);
    return master;
  }

  addReplica(master: Master, host: string, port: number): Replica {
    const address = this.#address(host, port);
    const name = nameOf(address);
    if (master.replicas.has(name)) throw new InstanceRefused('ERR Duplicate hostname and port for replica.');
    const replica = new Replica(name, address, master, this.now);
    master.replicas.set(name, replica);
    return replica;
  }

  addSentinel(master: Master, host: string, port: number, id: string): OtherSentinel {
    const address = this.#address(host, port);
    if (master.sentinels.has(id)) throw new InstanceRefused('ERR Duplicate runid for sentinel.');
    const sentinel = new OtherSentinel(id, address, master, this.now);
    this.#shareLink(sentinel);
    master.sentinels.set(id, sentinel);
    return sentinel;
  }

  #address(host: string, port: number): ResolvedAddress {
    if (!Number.isInteger(port) || port < 0 || port > 65535)
      throw new InstanceRefused('ERR Invalid port number.');
    const address = this.addresses.address(host, port);
    if (address === undefined) throw new InstanceRefused("ERR Can't resolve instance hostname.");
    return address;
  }

  /** A Sentinel that watches several of our masters is asked over one connection. */
  #shareLink(sentinel: OtherSentinel): void {
    for (const master of this.masters.values()) {
      const twin = master.sentinels.get(sentinel.name);
      if (twin === undefined || twin === sentinel) continue;
      sentinel.link.release();
      sentinel.link = twin.link;
      sentinel.link.owners++;
      return;
    }
  }

  replicaAt(master: Master, host: string, port: number): Replica | undefined {
    const ip = this.addresses.ipOf(host);
    for (const replica of master.replicas.values()) {
      const { address } = replica;
      if (address.port === port && (address.ip === ip || address.host === host)) return replica;
    }
    return undefined;
  }

  removeMaster(master: Master): void {
    this.event('warning', '-monitor', master);
    this.masters.delete(master.name);
    this.#release(master);
  }

  #release(master: Master): void {
    master.forgetSentinels();
    for (const replica of master.replicas.values()) replica.remove();
    master.remove();
  }

  resetMaster(master: Master): void {
    master.forgetSentinels();
    master.reset(this.now);
    this.event('warning', '+reset-master', master);
  }

  /** The master is another server now; the one before, and the other replicas, become its replicas. */
  changeAddress(master: Master, host: string, port: number): void {
    const address = this.addresses.address(host, port);
    if (address === undefined) return;
    const others = [...master.replicas.values(), master]
      .map((instance) => instance.address)
      .filter((other) => !isSameAddress(other, address));
    master.reset(this.now);
    master.address = address;
    master.subjectivelyDownSince = master.objectivelyDownSince = 0;
    for (const other of others) {
      if (master.replicas.has(nameOf(other))) continue;
      this.event('notice', '+slave', this.addReplica(master, other.host, other.port));
    }
    this.flush();
  }

  /** The password for other Sentinels has changed. */
  reconnectSentinels(): void {
    for (const master of this.masters.values()) {
      for (const { link } of master.sentinels.values()) link.close();
    }
  }
}

function nameOf({ host, ip, port }: ResolvedAddress): string {
  const shown = ip === '' ? host : ip;
  return shown.includes(':') ? `[${shown}]:${port}` : `${shown}:${port}`;
}
