import type { ResolvedAddress } from './address.js';
import { InstanceLink } from './instance-link.js';

/** The role a server reports in INFO. */
export type Role = 'master' | 'slave';

/** A server that this Sentinel watches. */
export abstract class Instance {
  abstract readonly kind: 'master' | 'slave' | 'sentinel';
  /** The master whose group it belongs to; of a master, itself. */
  abstract readonly master: Master;
  readonly name: string;
  address: ResolvedAddress;
  link: InstanceLink;
  runId: string | undefined;
  /** No longer watched: replies to earlier requests are ignored. */
  isRemoved = false;
  isSubjectivelyDown = false;
  subjectivelyDownSince = 0;
  downAfter: number;
  /** It answered BUSY while it was down, and was sent SCRIPT KILL. */
  wasSentScriptKill = false;
  /** When it last received our hello message. */
  lastPublishedAt: number;
  /** When INFO was last received, and its text. */
  infoAt = 0;
  info: string | undefined;
  reportedRole: Role;
  reportedRoleSince: number;
  /** It restarted under the same address (`master-reboot-down-after-period`). */
  isRebooting = false;
  rebootingSince = 0;

  constructor(name: string, address: ResolvedAddress, role: Role, downAfter: number, now: number) {
    this.name = name;
    this.address = address;
    this.link = new InstanceLink(now);
    this.downAfter = downAfter;
    this.lastPublishedAt = now;
    this.reportedRole = role;
    this.reportedRoleSince = now;
  }

  remove(): void {
    this.isRemoved = true;
    this.link.release();
  }

  /** Whether it was not seen down within this time. */
  noDownFor(ms: number, now: number): boolean {
    return this.subjectivelyDownSince === 0 || now - this.subjectivelyDownSince > ms;
  }
}

/** The steps of a failover, in order. */
export type FailoverState =
  | 'none'
  | 'wait_start'
  | 'select_slave'
  | 'send_slaveof_noone'
  | 'wait_promotion'
  | 'reconf_slaves'
  | 'update_config';

/** A master, under the name that clients ask for. Its address changes with a failover. */
export class Master extends Instance {
  readonly kind = 'master';
  readonly master = this;
  readonly replicas = new Map<string, Replica>();
  /** The other Sentinels that watch it, by id. */
  readonly sentinels = new Map<string, OtherSentinel>();
  quorum: number;
  isObjectivelyDown = false;
  objectivelyDownSince = 0;
  /** The epoch of the failover that its address comes from. */
  configEpoch = 0;
  /** Addresses of this epoch that turned out not to be a master, see `hello.ts`. */
  readonly refuted = new Set<string>();
  /** The Sentinel that we have voted for, and in which epoch. */
  leader: string | undefined;
  leaderEpoch = 0;
  failoverState: FailoverState = 'none';
  /** By SENTINEL FAILOVER: without the agreement of others. */
  isForced = false;
  failoverEpoch = 0;
  failoverStateSince = 0;
  /** When the last failover began, ours or that of a Sentinel we have voted for. */
  failoverStartedAt = 0;
  /** The value of `failoverStartedAt` for which the delay was logged. */
  delayLoggedFor = 0;
  promoted: Replica | undefined;
  failoverTimeout: number;
  parallelSyncs = 1;
  rebootDownAfter = 0;
  notificationScript: string | undefined;
  reconfigScript: string | undefined;
  password: string | undefined;
  user: string | undefined;
  /** Other names of commands on this master and its replicas. */
  readonly renamedCommands = new Map<string, string>();

  constructor(
    name: string,
    address: ResolvedAddress,
    quorum: number,
    times: { readonly downAfter: number; readonly failoverTimeout: number },
    now: number,
  ) {
    super(name, address, 'master', times.downAfter, now);
    this.quorum = quorum;
    this.failoverTimeout = times.failoverTimeout;
  }

  get isFailingOver(): boolean {
    return this.failoverState !== 'none';
  }

  override noDownFor(ms: number, now: number): boolean {
    const since = Math.max(this.subjectivelyDownSince, this.objectivelyDownSince);
    return since === 0 || now - since > ms;
  }

  /** The address that clients should use: from its promotion on, that of the promoted replica. */
  get currentAddress(): ResolvedAddress {
    const isPromotionDone = this.failoverState === 'reconf_slaves' || this.failoverState === 'update_config';
    return isPromotionDone && this.promoted !== undefined ? this.promoted.address : this.address;
  }

  setDownAfter(ms: number): void {
    this.downAfter = ms;
    for (const replica of this.replicas.values()) replica.downAfter = ms;
    for (const sentinel of this.sentinels.values()) sentinel.downAfter = ms;
  }

  enter(state: FailoverState, now: number): void {
    this.failoverState = state;
    this.failoverStateSince = now;
  }

  /** Ends a failover without a result. */
  abortFailover(now: number): void {
    this.isForced = false;
    this.enter('none', now);
    if (this.promoted !== undefined) this.promoted.isPromoted = false;
    this.promoted = undefined;
  }

  /** Starts from nothing: forgets the replicas and what is known of the server. */
  reset(now: number): void {
    for (const replica of this.replicas.values()) replica.remove();
    this.replicas.clear();
    this.link.restart(now);
    this.isSubjectivelyDown = this.isObjectivelyDown = this.isRebooting = this.wasSentScriptKill = false;
    this.isForced = false;
    this.leader = undefined;
    this.failoverState = 'none';
    this.failoverStateSince = 0;
    this.failoverStartedAt = 0;
    this.promoted = undefined;
    this.runId = undefined;
    this.reportedRole = 'master';
    this.reportedRoleSince = now;
  }

  forgetSentinels(): void {
    for (const sentinel of this.sentinels.values()) sentinel.remove();
    this.sentinels.clear();
  }
}

/** How far a replica is on its way to the new master. */
export type Reconfiguration = 'none' | 'sent' | 'inprog' | 'done';

export class Replica extends Instance {
  readonly kind = 'slave';
  readonly master: Master;
  /** Chosen to become the master. */
  isPromoted = false;
  reconfiguration: Reconfiguration = 'none';
  reconfigurationSentAt = 0;
  // What INFO says.
  masterHost: string | undefined;
  masterPort = 0;
  isMasterLinkUp = false;
  /** For how long the link to its master has been down, in ms; 0 if it is up. */
  masterLinkDownTime = 0;
  priority = 100;
  offset = 0;
  isAnnounced = true;
  /** When it last reported another master or role. */
  configuredAt: number;

  constructor(name: string, address: ResolvedAddress, master: Master, now: number) {
    super(name, address, 'slave', master.downAfter, now);
    this.master = master;
    this.configuredAt = now;
  }
}

export class OtherSentinel extends Instance {
  readonly kind = 'sentinel';
  readonly master: Master;
  lastHelloAt: number;
  /** It says that the master is down. */
  reportsMasterDown = false;
  /** When it last said whether the master is down. */
  reportedAt: number;
  leader: string | undefined;
  leaderEpoch = 0;

  constructor(id: string, address: ResolvedAddress, master: Master, now: number) {
    super(id, address, 'master', master.downAfter, now);
    this.runId = id;
    this.master = master;
    this.lastHelloAt = now;
    this.reportedAt = now;
  }
}
