import type { RespConnection } from './resp-connection.js';

/**
 * The connections to one server: one for commands and, except to Sentinels, one for messages. Another Sentinel that
 * watches several of our masters has one link for all of them (`owners`).
 */
export class InstanceLink {
  owners = 1;
  commands: RespConnection | undefined;
  messages: RespConnection | undefined;
  /** One of the connections is missing. */
  isDisconnected = true;
  /** Requests without a reply. */
  pending = 0;
  /** When the connections were opened, and when the last message arrived. */
  commandsSince = 0;
  messagesSince = 0;
  lastMessageAt = 0;
  /** When a PING was last answered as a running server does; when we began to ask, if `wasAvailable` is false. */
  lastAvailableAt: number;
  wasAvailable = false;
  /** When the first PING was sent that has no reply yet; 0 if all have one. */
  pingSince: number;
  lastPingAt = 0;
  lastPongAt: number;
  lastReconnectAt = 0;

  constructor(now: number) {
    this.lastAvailableAt = now;
    // A server that never answers is down, too: the wait for it begins now.
    this.pingSince = now;
    this.lastPongAt = now;
  }

  closeCommands(): void {
    this.commands?.close();
    this.commands = undefined;
    this.isDisconnected = true;
  }

  closeMessages(): void {
    this.messages?.close();
    this.messages = undefined;
    this.isDisconnected = true;
  }

  close(): void {
    this.closeCommands();
    this.closeMessages();
  }

  /** One owner fewer; the last one closes the connections. */
  release(): void {
    this.owners--;
    if (this.owners === 0) this.close();
  }

  /** For a server that has taken another's place. */
  restart(now: number): void {
    this.close();
    this.pingSince = now;
    this.lastPingAt = 0;
    this.lastAvailableAt = now;
    this.wasAvailable = false;
    this.lastPongAt = now;
  }
}
