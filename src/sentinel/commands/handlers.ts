import { globMatchText } from '../../bytes/glob.js';
import type { Call } from '../../commands/call.js';
import type { EnginePort } from '../../commands/engine-port.js';
import { CommandError } from '../../commands/errors.js';
import { helpHandler } from '../../commands/help.js';
import { clients, cpu, server, stats } from '../../commands/server/info/sections.js';
import { requestFailover } from '../failover.js';
import { receiveHello } from '../hello.js';
import type { Master } from '../instance.js';
import { vote } from '../majority.js';
import { isPeriodName } from '../periods.js';
import { HELLO_CHANNEL } from '../requests.js';
import type { Sentinel } from '../sentinel.js';
import { writeInstance, writeInstances } from './describe.js';
import { sentinelHelp } from './help.js';
import { configGet, configSet, flushAndReply, setOptions } from './settings.js';

/** The Sentinel that an engine belongs to. */
const sentinels = new WeakMap<EnginePort, Sentinel>();

export function serveSentinel(sentinel: Sentinel): void {
  sentinels.set(sentinel.engine, sentinel);
}

type SentinelHandler = (sentinel: Sentinel, call: Call) => void;

const on =
  (handler: SentinelHandler) =>
  (call: Call): void =>
    handler(sentinels.get(call.engine) as Sentinel, call);

/** The handler of a subcommand whose first argument is a master's name. */
const ofMaster = (handler: (sentinel: Sentinel, master: Master, call: Call) => void) =>
  on((sentinel, call) => {
    const master = sentinel.masters.get(call.text(2));
    if (master === undefined) throw NO_SUCH_MASTER;
    handler(sentinel, master, call);
  });

const NO_SUCH_MASTER = new CommandError('ERR No such master with that name');
const ONLY_HELLO = new CommandError('ERR Only HELLO messages are accepted by Sentinel instances.');

const replicas = ofMaster((sentinel, master, { reply }) => {
  writeInstances(sentinel, master.replicas.values(), reply);
});

export const sentinelHandlers = {
  ckquorum: ofMaster(checkQuorum),
  config: on((sentinel, call) => {
    const action = call.text(2).toLowerCase();
    if (action === 'set' && call.argc === 5) configSet(sentinel, call);
    else if (action === 'get' && call.argc === 4) configGet(sentinel, call);
    else {
      throw new CommandError('ERR Only SENTINEL CONFIG GET <option> / SET <option> <value> are supported.');
    }
  }),
  debug: on(debug),
  failover: ofMaster((sentinel, master, { reply }) => {
    requestFailover(sentinel, master);
    reply.ok();
  }),
  flushconfig: on(flushAndReply),
  'get-master-addr-by-name': on((sentinel, call) => {
    const address = sentinel.masters.get(call.text(2))?.currentAddress;
    if (address === undefined) {
      call.reply.nullArray();
      return;
    }
    call.reply.array(2);
    call.reply.bulkText(sentinel.addresses.announced(address));
    call.reply.bulkInteger(address.port);
  }),
  help: helpHandler(sentinelHelp),
  'info-cache': on(infoCache),
  'is-master-down-by-addr': on(isMasterDown),
  master: ofMaster((sentinel, master, { reply }) => writeInstance(sentinel, master, reply)),
  masters: on((sentinel, { reply }) => writeInstances(sentinel, sentinel.masters.values(), reply)),
  monitor: on(monitor),
  myid: on(({ id }, { reply }) => reply.bulkText(id)),
  'pending-scripts': on(pendingScripts),
  remove: ofMaster((sentinel, master, call) => {
    sentinel.removeMaster(master);
    flushAndReply(sentinel, call);
  }),
  replicas,
  reset: on((sentinel, call) => {
    const pattern = call.text(2);
    const matching = [...sentinel.masters.values()].filter(({ name }) => globMatchText(pattern, name));
    for (const master of matching) sentinel.resetMaster(master);
    call.reply.integer(matching.length);
  }),
  sentinels: ofMaster((sentinel, master, { reply }) => {
    writeInstances(sentinel, master.sentinels.values(), reply);
  }),
  set: ofMaster(setOptions),
  'simulate-failure': on(simulateFailure),
  slaves: replicas,
};

/** SENTINEL CKQUORUM: whether enough Sentinels are there to agree, and to elect a leader. */
function checkQuorum(_sentinel: Sentinel, master: Master, { reply }: Call): void {
  const voters = master.sentinels.size + 1;
  const usable = 1 + [...master.sentinels.values()].filter((other) => !other.isSubjectivelyDown).length;
  const complaints: string[] = [];
  if (usable < master.quorum) {
    complaints.push('Not enough available Sentinels to reach the specified quorum for this master');
  }
  if (usable < Math.floor(voters / 2) + 1) {
    complaints.push('Not enough available Sentinels to reach the majority and authorize a failover');
  }
  if (complaints.length > 0)
    throw new CommandError(`NOQUORUM ${usable} usable Sentinels. ${complaints.join('. ')}`);
  reply.status(`OK ${usable} usable Sentinels. Quorum and failover authorization can be reached`);
}

function debug(sentinel: Sentinel, call: Call): void {
  const { periods } = sentinel;
  if (call.argc === 2) {
    const entries = Object.entries(periods);
    call.reply.map(entries.length);
    for (const [name, value] of entries) {
      call.reply.bulkText(name.toUpperCase());
      call.reply.bulkInteger(value);
    }
    return;
  }
  for (let i = 2; i < call.argc; i += 2) {
    const name = call.text(i).toLowerCase();
    if (i + 1 >= call.argc || !isPeriodName(name)) {
      throw new CommandError(
        `ERR Unknown option or number of arguments for SENTINEL DEBUG '${call.text(i)}'`,
      );
    }
    const value = Number(call.text(i + 1));
    if (!(Number.isInteger(value) && value > 0)) {
      throw new CommandError(
        `ERR Invalid argument '${call.text(i + 1)}' for SENTINEL DEBUG '${call.text(i)}'`,
      );
    }
    periods[name] = value;
  }
  call.reply.ok();
}

function infoCache(sentinel: Sentinel, call: Call): void {
  const names = new Set<string>();
  for (let i = 2; i < call.argc; i++) names.add(call.text(i));
  const found = [...names].flatMap((name) => sentinel.masters.get(name) ?? []);
  const { reply } = call;
  reply.array(found.length * 2);
  for (const master of found) {
    reply.bulkText(master.name);
    const instances = [master, ...master.replicas.values()];
    reply.array(instances.length);
    for (const { info, infoAt } of instances) {
      reply.array(2);
      reply.integer(infoAt === 0 ? 0 : sentinel.now - infoAt);
      if (info === undefined) reply.null();
      else reply.bulkText(info);
    }
  }
}

/** What another Sentinel asks: whether the master is down for us, too, and for our vote. */
function isMasterDown(sentinel: Sentinel, call: Call): void {
  const host = call.text(2);
  const port = call.integer(3);
  const epoch = call.integer(4);
  const id = call.text(5);
  const master = [...sentinel.masters.values()].find(
    ({ address }) => address.port === port && sentinel.addresses.isAt(address, host),
  );
  const isDown = sentinel.tiltSince === undefined && master?.isSubjectivelyDown === true;
  const given = master !== undefined && id !== '*' ? vote(sentinel, master, epoch, id) : undefined;
  const { reply } = call;
  reply.array(3);
  reply.integer(isDown ? 1 : 0);
  reply.bulkText(given?.leader ?? '*');
  reply.integer(given?.epoch ?? 0);
}

function monitor(sentinel: Sentinel, call: Call): void {
  const quorum = call.integer(5, new CommandError('ERR Invalid quorum'));
  const port = call.integer(4, new CommandError('ERR Invalid port'));
  if (quorum <= 0) throw new CommandError('ERR Quorum must be 1 or greater.');
  const host = call.text(3);
  if (sentinel.addresses.ipOf(host) === undefined) {
    throw new CommandError('ERR Invalid IP address or hostname specified');
  }
  const master = sentinel.addMaster(call.text(2), host, port, quorum);
  sentinel.event('warning', '+monitor', master, ` quorum ${master.quorum}`);
  flushAndReply(sentinel, call);
}

function pendingScripts({ scripts }: Sentinel, { reply }: Call): void {
  const all = scripts.describe();
  reply.array(all.length);
  for (const { words, isRunning, pid, ms, tries } of all) {
    reply.map(5);
    reply.bulkText('argv');
    reply.array(words.length);
    for (const word of words) reply.bulkText(word);
    reply.bulkText('flags');
    reply.bulkText(isRunning ? 'running' : 'scheduled');
    reply.bulkText('pid');
    reply.bulkInteger(pid);
    reply.bulkText(isRunning ? 'run-time' : 'run-delay');
    reply.bulkInteger(ms);
    reply.bulkText('retry-num');
    reply.bulkInteger(tries);
  }
}

function simulateFailure(sentinel: Sentinel, call: Call): void {
  sentinel.crashesAfterElection = sentinel.crashesAfterPromotion = false;
  for (let i = 2; i < call.argc; i++) {
    const failure = call.text(i).toLowerCase();
    if (failure === 'crash-after-election') {
      sentinel.crashesAfterElection = true;
      sentinel.log(
        'warning',
        'Failure simulation: this Sentinel will crash after being successfully elected as failover leader',
      );
    } else if (failure === 'crash-after-promotion') {
      sentinel.crashesAfterPromotion = true;
      sentinel.log(
        'warning',
        'Failure simulation: this Sentinel will crash after promoting the selected replica to master',
      );
    } else if (failure === 'help') {
      call.reply.array(2);
      call.reply.bulkText('crash-after-election');
      call.reply.bulkText('crash-after-promotion');
      return;
    } else throw new CommandError('ERR Unknown failure simulation specified');
  }
  call.reply.ok();
}

/** PUBLISH: a Sentinel takes only the messages of other Sentinels. */
export const publish = on((sentinel, call) => {
  if (call.text(1) !== HELLO_CHANNEL) throw ONLY_HELLO;
  receiveHello(sentinel, call.text(2));
  call.reply.integer(1);
});

/** ROLE: the names of the masters. */
export const role = on((sentinel, { reply }) => {
  reply.array(2);
  reply.bulkText('sentinel');
  reply.array(sentinel.masters.size);
  for (const name of sentinel.masters.keys()) reply.bulkText(name);
});

/** INFO [section …] */
export const info = on((sentinel, call) => {
  const wanted = new Set<string>();
  for (let i = 1; i < call.argc; i++) wanted.add(call.text(i).toLowerCase());
  const isWhole = wanted.size === 0 || ['all', 'everything', 'default'].some((name) => wanted.has(name));
  const sections = [
    ['Server', server],
    ['Clients', clients],
    ['Stats', stats],
    ['CPU', cpu],
    ['Sentinel', () => sentinelFields(sentinel)],
  ] as const;
  const texts = sections
    .filter(([title]) => isWhole || wanted.has(title.toLowerCase()))
    .map(([title, fields]) => {
      const lines = fields(call.engine).map(([name, value]) => `${name}:${value}\r\n`);
      return `# ${title}\r\n${lines.join('')}`;
    });
  call.reply.bulkText(texts.join('\r\n'));
});

function sentinelFields(sentinel: Sentinel): [string, string | number][] {
  const { masters, tiltSince, scripts, now, addresses } = sentinel;
  const failures = (sentinel.crashesAfterElection ? 1 : 0) | (sentinel.crashesAfterPromotion ? 2 : 0);
  const ofMasters = [...masters.values()].map((master, i): [string, string] => {
    const status = master.isObjectivelyDown ? 'odown' : master.isSubjectivelyDown ? 'sdown' : 'ok';
    const address = `${addresses.announced(master.address)}:${master.address.port}`;
    const counts = `slaves=${master.replicas.size},sentinels=${master.sentinels.size + 1}`;
    return [`master${i}`, `name=${master.name},status=${status},address=${address},${counts}`];
  });
  return [
    ['sentinel_masters', masters.size],
    ['sentinel_tilt', tiltSince === undefined ? 0 : 1],
    ['sentinel_tilt_since_seconds', tiltSince === undefined ? -1 : Math.floor((now - tiltSince) / 1000)],
    ['sentinel_running_scripts', scripts.runningCount],
    ['sentinel_scripts_queue_length', scripts.count],
    ['sentinel_simulate_failure_flags', failures],
    ...ofMasters,
  ];
}
