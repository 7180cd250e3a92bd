import { parseWholeNumber } from '../bytes/numbers/whole-number.js';
import type { Settings } from '../commands/config/settings.js';
import type { ResolvedAddress } from './address.js';
import { tellSwitch } from './failover.js';
import type { Instance, Master, OtherSentinel } from './instance.js';
import { InstanceRefused } from './instance-refused.js';
import { HELLO_CHANNEL, request } from './requests.js';
import { type Answer, ErrorReply } from './resp-connection.js';
import type { Sentinel } from './sentinel.js';

/*
 * Sentinels find each other, and learn of new configurations, by messages on a channel of the servers they watch. A
 * message names the sender, and the master's address with its epoch: the latest epoch wins.
 */

/** Publishes who we are, and what we think the master is, on the instance. */
export function sendHello(sentinel: Sentinel, instance: Instance): void {
  const { link, master } = instance;
  const host = sentinel.announcedHost === '' ? (link.commands?.localHost ?? '') : sentinel.announcedHost;
  if (link.isDisconnected || host === '') return;
  const port = sentinel.announcedPort === 0 ? ownPort(sentinel.engine.settings) : sentinel.announcedPort;
  const { currentAddress: address } = master;
  const shown = sentinel.addresses.announced(address);
  const message = [
    host,
    port,
    sentinel.id,
    sentinel.epoch,
    master.name,
    shown,
    address.port,
    master.configEpoch,
  ];
  request(instance, ['PUBLISH', HELLO_CHANNEL, message.join(',')], (answer) => {
    // If it was refused, it is sent again with the next tick.
    if (!(answer instanceof ErrorReply)) instance.lastPublishedAt = sentinel.now;
  });
}

/** A message of a channel. */
export function received(sentinel: Sentinel, answer: Answer): void {
  if (!Array.isArray(answer) || answer.length !== 3) return;
  const [kind, , text] = answer as readonly Answer[];
  if (kind === 'message' && typeof text === 'string') receiveHello(sentinel, text);
}

/** A hello message, of ourselves or another Sentinel. */
export function receiveHello(sentinel: Sentinel, text: string): void {
  const parts = text.split(',');
  if (parts.length !== 8) return;
  const [host, portText, id, epochText, name, masterHost, masterPortText, configText] = parts as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const master = sentinel.masters.get(name);
  if (master === undefined || id === sentinel.id) return;
  const port = parseWholeNumber(portText);
  const epoch = parseWholeNumber(epochText);
  const masterPort = parseWholeNumber(masterPortText);
  const configEpoch = parseWholeNumber(configText);
  if (port === undefined || epoch === undefined || masterPort === undefined || configEpoch === undefined)
    return;
  const sender = known(sentinel, master, id, host, port) ?? meet(sentinel, master, id, host, port);
  sentinel.adoptEpoch(epoch, master);
  if (sender === undefined) return;
  sender.lastHelloAt = sentinel.now;
  const isOurs = masterPort === master.address.port && sentinel.addresses.isAt(master.address, masterHost);
  if (master.configEpoch < configEpoch) {
    master.configEpoch = configEpoch;
    master.refuted.clear();
    // A failover of ours that is not newer must not continue: it would give the same epoch two masters.
    const isOutdated = master.isFailingOver && master.failoverEpoch <= configEpoch;
    if (isOutdated || !isOurs) adopt(sentinel, sender, masterHost, masterPort);
  } else if (master.configEpoch === configEpoch && !isOurs) {
    const other = sentinel.addresses.address(masterHost, masterPort);
    if (other !== undefined && givesWay(master, textOf(other)))
      adopt(sentinel, sender, masterHost, masterPort);
  }
}

/**
 * Whether our configuration gives way to another one of the same epoch. SENTINEL FAILOVER asks no other Sentinels, so two of them,
 * cut off from each other, can make two configurations of one epoch. If our master does not answer as a master, we try the
 * other one; if that was no better, all Sentinels take the lower address, so that they can agree on a failover, unless the other one
 * answers as a master by now. A redis-sentinel would stay alone with its configuration.
 */
function givesWay(master: Master, other: string): boolean {
  if (!master.isSubjectivelyDown || master.isFailingOver) return false;
  const ours = textOf(master.address);
  master.refuted.add(ours);
  return !master.refuted.has(other) || other < ours || answersAsMaster(master, other);
}

function answersAsMaster({ replicas }: Master, address: string): boolean {
  for (const replica of replicas.values()) {
    if (textOf(replica.address) !== address) continue;
    return replica.reportedRole === 'master' && !replica.isSubjectivelyDown;
  }
  return false;
}

function textOf({ host, ip, port }: ResolvedAddress): string {
  return `${ip === '' ? host : ip}:${port}`;
}

/** Another Sentinel has made another server the master. */
function adopt(sentinel: Sentinel, sender: OtherSentinel, host: string, port: number): void {
  const { master } = sender;
  sentinel.event('warning', '+config-update-from', sender);
  const before = master.currentAddress;
  const isSwitch = port !== before.port || !sentinel.addresses.isAt(before, host);
  if (isSwitch) tellSwitch(sentinel, master, { host, port }, before);
  sentinel.changeAddress(master, host, port);
  if (isSwitch) sentinel.runReconfigScript(master, 'observer', before, master.address);
}

function known(
  { addresses }: Sentinel,
  master: Master,
  id: string,
  host: string,
  port: number,
): OtherSentinel | undefined {
  const other = master.sentinels.get(id);
  return other !== undefined && other.address.port === port && addresses.isAt(other.address, host)
    ? other
    : undefined;
}

/** A Sentinel that is new here, or has another address now. */
function meet(
  sentinel: Sentinel,
  master: Master,
  id: string,
  host: string,
  port: number,
): OtherSentinel | undefined {
  const hasMoved = forget(master, id);
  if (hasMoved) {
    sentinel.event('notice', '+sentinel-address-switch', master, ` ip ${host} port ${port} for ${id}`);
  } else {
    const other = [...master.sentinels.values()].find(
      ({ address }) => address.port === port && sentinel.addresses.isAt(address, host),
    );
    if (other !== undefined) {
      // Another Sentinel has taken the place of that one.
      sentinel.event('notice', '+sentinel-invalid-addr', other);
      for (const each of sentinel.masters.values()) forget(each, other.name);
    }
  }
  try {
    const added = sentinel.addSentinel(master, host, port, id);
    if (!hasMoved) sentinel.event('notice', '+sentinel', added);
    else moveEverywhere(sentinel, added);
    sentinel.flush();
    return added;
  } catch (error) {
    if (!(error instanceof InstanceRefused)) throw error;
    return undefined;
  }
}

function forget(master: Master, id: string): boolean {
  const other = master.sentinels.get(id);
  if (other === undefined) return false;
  master.sentinels.delete(id);
  other.remove();
  return true;
}

/** The Sentinel has another address for the other masters, too. */
function moveEverywhere(sentinel: Sentinel, moved: OtherSentinel): void {
  for (const master of sentinel.masters.values()) {
    const twin = master.sentinels.get(moved.name);
    if (twin === undefined || twin === moved) continue;
    twin.address = moved.address;
    twin.link.close();
  }
}

/** With `tls-replication`, the other Sentinels connect by TLS, too. */
function ownPort(settings: Settings): number {
  const tlsPort = settings.isOn('tls-replication') ? settings.number('tls-port') : 0;
  return tlsPort || settings.number('port');
}
