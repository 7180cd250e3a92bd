import { received as receivedMessage, sendHello } from './hello.js';
import { type Instance, OtherSentinel, Replica } from './instance.js';
import { learn } from './learning.js';
import { commandName, HELLO_CHANNEL, request } from './requests.js';
import { type Answer, ErrorReply, RespConnection } from './resp-connection.js';
import type { Sentinel } from './sentinel.js';

/** Opens the connections that are missing, at most once a second. */
export function reconnect(sentinel: Sentinel, instance: Instance): void {
  const { now, addresses, periods } = sentinel;
  const { link } = instance;
  if (!link.isDisconnected || instance.address.port === 0) return;
  if (now - link.lastReconnectAt < periods['ping-period']) return;
  link.lastReconnectAt = now;
  if (link.commands === undefined) {
    if (addresses.resolvesNames) {
      // It may have another address by now.
      instance.address = addresses.address(instance.address.host, instance.address.port) ?? instance.address;
    }
    openCommands(sentinel, instance);
  }
  if (!(instance instanceof OtherSentinel) && link.messages === undefined) openMessages(sentinel, instance);
  link.isDisconnected =
    link.commands === undefined || (!(instance instanceof OtherSentinel) && link.messages === undefined);
}

function openCommands(sentinel: Sentinel, instance: Instance): void {
  const { link } = instance;
  const connection = new RespConnection(sentinel.world, placeOf(instance), {
    closed: (reason) => {
      if (link.commands !== connection) return;
      link.closeCommands();
      if (!instance.isRemoved) sentinel.event('debug', '-cmd-link', instance, ` #${reason}`);
    },
  });
  link.commands = connection;
  link.commandsSince = sentinel.now;
  link.pending = 0;
  introduce(sentinel, instance, connection, 'cmd');
  sendPing(sentinel, instance);
}

function openMessages(sentinel: Sentinel, instance: Instance): void {
  const { link } = instance;
  const connection = new RespConnection(sentinel.world, placeOf(instance), {
    message: (answer) => {
      // It does not let us subscribe: the password is wrong, or the user may not.
      if (answer instanceof ErrorReply) {
        link.closeMessages();
        return;
      }
      link.lastMessageAt = sentinel.now;
      if (!instance.isRemoved) receivedMessage(sentinel, answer);
    },
    closed: (reason) => {
      if (link.messages !== connection) return;
      link.closeMessages();
      if (!instance.isRemoved) sentinel.event('debug', '-pubsub-link', instance, ` #${reason}`);
    },
  });
  link.messages = connection;
  link.messagesSince = sentinel.now;
  introduce(sentinel, instance, connection, 'pubsub');
  connection.subscribe(HELLO_CHANNEL);
}

function placeOf({ address: { ip, host, port } }: Instance): { host: string; port: number } {
  return { host: ip === '' ? host : ip, port };
}

function introduce(
  sentinel: Sentinel,
  instance: Instance,
  connection: RespConnection,
  purpose: string,
): void {
  const { user, password } =
    instance instanceof OtherSentinel
      ? credentialsForSentinels(sentinel)
      : { user: instance.master.user, password: instance.master.password };
  if (password !== undefined) {
    const words = user === undefined ? [password] : [user, password];
    connection.send([commandName(instance, 'AUTH'), ...words]);
  }
  const name = `sentinel-${sentinel.id.slice(0, 8)}-${purpose}`;
  connection.send([commandName(instance, 'CLIENT'), 'SETNAME', name]);
}

/** Without `sentinel-pass`, Sentinels share the password of `requirepass`. */
function credentialsForSentinels({ user, password, engine }: Sentinel): { user?: string; password?: string } {
  if (password !== '') return user === '' ? { password } : { user, password };
  const own = engine.settings.text('requirepass');
  return own === '' ? {} : { password: own };
}

/** INFO, PING and hello messages, each when its time has come. */
export function sendPeriodicRequests(sentinel: Sentinel, instance: Instance): void {
  const { now, periods } = sentinel;
  const { link } = instance;
  if (link.isDisconnected || link.pending >= MAX_PENDING * link.owners) return;
  if (!(instance instanceof OtherSentinel) && now - instance.infoAt > infoPeriod(sentinel, instance)) {
    request(instance, ['INFO'], (answer) => {
      if (typeof answer === 'string') learn(sentinel, instance, answer);
    });
  }
  const pingPeriod = Math.min(instance.downAfter, periods['ping-period']);
  if (now - link.lastPongAt > pingPeriod && now - link.lastPingAt > pingPeriod / 2)
    sendPing(sentinel, instance);
  if (now - instance.lastPublishedAt > periods['publish-period']) sendHello(sentinel, instance);
}

/** Replicas are asked more often while their master is down or being replaced, or their link to it is. */
function infoPeriod({ periods }: Sentinel, instance: Instance): number {
  if (!(instance instanceof Replica)) return periods['info-period'];
  const { master } = instance;
  const isUrgent = master.isObjectivelyDown || master.isFailingOver || instance.masterLinkDownTime !== 0;
  return isUrgent ? Math.min(1000, periods['info-period']) : periods['info-period'];
}

function sendPing(sentinel: Sentinel, instance: Instance): void {
  const { link } = instance;
  request(instance, ['PING'], (answer) => receivedPong(sentinel, instance, answer));
  link.lastPingAt = sentinel.now;
  if (link.pingSince === 0) link.pingSince = link.lastPingAt;
}

function receivedPong(sentinel: Sentinel, instance: Instance, answer: Answer): void {
  const text = answer instanceof ErrorReply ? answer.text : answer;
  if (typeof text !== 'string') return;
  const { link } = instance;
  const isPong = text.startsWith('PONG');
  if (isPong || text.startsWith('LOADING') || text.startsWith('MASTERDOWN')) {
    link.lastAvailableAt = sentinel.now;
    link.wasAvailable = true;
    link.pingSince = 0;
    if (isPong) instance.isRebooting = false;
  } else if (text.startsWith('BUSY') && instance.isSubjectivelyDown && !instance.wasSentScriptKill) {
    // It is only busy with a script.
    request(instance, ['SCRIPT', 'KILL'], () => {});
    instance.wasSentScriptKill = true;
  }
  link.lastPongAt = sentinel.now;
}

const MAX_PENDING = 100;
