import { quote } from '../bytes/quoting.js';
import { isSameAddress } from './address.js';
import type { Master } from './instance.js';
import type { Sentinel } from './sentinel.js';

/** The lines of the configuration file that begin with `sentinel`: settings, and the state that survives a restart. */
export function configurationLines(sentinel: Sentinel): string[] {
  const { addresses } = sentinel;
  const lines = [`myid ${sentinel.id}`];
  if (!sentinel.deniesScriptChanges) lines.push('deny-scripts-reconfig no');
  if (addresses.resolvesNames) lines.push('resolve-hostnames yes');
  if (addresses.announcesNames) lines.push('announce-hostnames yes');
  for (const master of sentinel.masters.values()) lines.push(...masterLines(sentinel, master));
  lines.push(`current-epoch ${sentinel.epoch}`);
  if (sentinel.announcedHost !== '') lines.push(`announce-ip ${quote(sentinel.announcedHost)}`);
  if (sentinel.announcedPort !== 0) lines.push(`announce-port ${sentinel.announcedPort}`);
  if (sentinel.user !== '') lines.push(`sentinel-user ${quote(sentinel.user)}`);
  if (sentinel.password !== '') lines.push(`sentinel-pass ${quote(sentinel.password)}`);
  return lines.map((line) => `sentinel ${line}`);
}

function masterLines({ addresses, periods }: Sentinel, master: Master): string[] {
  const { name, currentAddress } = master;
  const lines = [
    `monitor ${name} ${addresses.announced(currentAddress)} ${currentAddress.port} ${master.quorum}`,
  ];
  const add = (option: string, value: string | number | undefined, initial?: number): void => {
    if (value !== undefined && value !== initial) lines.push(`${option} ${name} ${value}`);
  };
  add('down-after-milliseconds', master.downAfter, periods['default-down-after']);
  add('failover-timeout', master.failoverTimeout, periods['default-failover-timeout']);
  add('parallel-syncs', master.parallelSyncs, 1);
  add('notification-script', master.notificationScript);
  add('client-reconfig-script', master.reconfigScript);
  add('auth-pass', master.password && quote(master.password));
  add('auth-user', master.user && quote(master.user));
  add('master-reboot-down-after-period', master.rebootDownAfter, 0);
  add('config-epoch', master.configEpoch);
  add('leader-epoch', master.leaderEpoch);
  for (const { address } of master.replicas.values()) {
    // If the promoted replica is written as the master, the master before is written in its place.
    const shown = isSameAddress(address, currentAddress) ? master.address : address;
    add('known-replica', `${addresses.announced(shown)} ${shown.port}`);
  }
  for (const { address, name: id } of master.sentinels.values()) {
    add('known-sentinel', `${addresses.announced(address)} ${address.port} ${id}`);
  }
  for (const [from, to] of master.renamedCommands) add('rename-command', `${from} ${to}`);
  return lines;
}

/**
 * Puts the lines into the text of a configuration file. A line takes the place of an earlier one of the same option;
 * those that are left are removed, and new ones go to the end.
 */
export function withSentinelLines(text: string, wanted: readonly string[]): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const places = new Map<string, number[]>();
  lines.forEach((line, i) => {
    const option = optionOf(line);
    if (option === undefined) return;
    const known = places.get(option);
    if (known === undefined) places.set(option, [i]);
    else known.push(i);
  });
  const appended: string[] = [];
  for (const line of wanted) {
    const place = places.get(optionOf(line) as string)?.shift();
    if (place === undefined) appended.push(line);
    else lines[place] = line;
  }
  const left = new Set([...places.values()].flat());
  return [...lines.filter((_, i) => !left.has(i)), ...appended].map((line) => `${line}\n`).join('');
}

function optionOf(line: string): string | undefined {
  const option = /^\s*sentinel\s+([\w-]+)/i.exec(line)?.[1]?.toLowerCase();
  return option === 'known-slave' ? 'known-replica' : option;
}
