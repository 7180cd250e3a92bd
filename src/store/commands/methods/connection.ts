/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { AnyCase, Methods, Runner } from '../options.js';
import { append, isInvalid, refuse } from '../options.js';
import { boolean, client, clients, ok, word } from '../replies.js';
import type { ClientKillOptions, ClientListOptions, ConnectionCommands } from '../types/connection.js';

const CLIENT_GETNAME: WireCommand = { words: ['CLIENT', 'GETNAME'], blocks: false };
const CLIENT_ID: WireCommand = { words: ['CLIENT', 'ID'], blocks: false };
const CLIENT_INFO: WireCommand = { words: ['CLIENT', 'INFO'], blocks: false };
const CLIENT_KILL: WireCommand = { words: ['CLIENT', 'KILL'], blocks: false };
const CLIENT_KILL_OPTIONS = ['id', 'type', 'user', 'addr', 'laddr', 'skipMe'];
const CLIENT_LIST: WireCommand = { words: ['CLIENT', 'LIST'], blocks: false };
const CLIENT_LIST_OPTIONS = ['type', 'id'];
const CLIENT_PAUSE: WireCommand = { words: ['CLIENT', 'PAUSE'], blocks: false };
const CLIENT_UNBLOCK: WireCommand = { words: ['CLIENT', 'UNBLOCK'], blocks: false };
const CLIENT_UNPAUSE: WireCommand = { words: ['CLIENT', 'UNPAUSE'], blocks: false };
const ECHO: WireCommand = { words: ['ECHO'], blocks: false };
const PING: WireCommand = { words: ['PING'], blocks: false };

export const connectionMethods = {
  clientGetname(this: Runner): unknown {
    return this.run(CLIENT_GETNAME, []);
  },

  clientId(this: Runner): unknown {
    return this.run(CLIENT_ID, []);
  },

  clientInfo(this: Runner): unknown {
    return this.run(CLIENT_INFO, [], client);
  },

  clientKill(this: Runner, options: ClientKillOptions): unknown {
    if (isInvalid(options, CLIENT_KILL_OPTIONS))
      return refuse(this, 'clientKill', options, CLIENT_KILL_OPTIONS);
    const args: Argument[] = [];
    if (options.id !== undefined) args.push('ID', options.id);
    if (options.type !== undefined) args.push('TYPE', options.type);
    if (options.user !== undefined) args.push('USER', options.user);
    if (options.addr !== undefined) args.push('ADDR', options.addr);
    if (options.laddr !== undefined) args.push('LADDR', options.laddr);
    if (options.skipMe !== undefined) args.push('SKIPME', options.skipMe);
    return this.run(CLIENT_KILL, args);
  },

  clientList(this: Runner, options?: ClientListOptions): unknown {
    if (options === undefined) return this.run(CLIENT_LIST, [], clients);
    if (isInvalid(options, CLIENT_LIST_OPTIONS))
      return refuse(this, 'clientList', options, CLIENT_LIST_OPTIONS);
    const args: Argument[] = [];
    if (options.type !== undefined) args.push('TYPE', options.type);
    if (options.id !== undefined) {
      args.push('ID');
      append(args, options.id);
    }
    return this.run(CLIENT_LIST, args, clients);
  },

  clientPause(this: Runner, timeout: number | bigint, mode?: AnyCase<'write' | 'all'>): unknown {
    if (mode === undefined) return this.run(CLIENT_PAUSE, [timeout], ok);
    return this.run(CLIENT_PAUSE, [timeout, mode], ok);
  },

  clientUnblock(this: Runner, clientId: number | bigint, how?: AnyCase<'timeout' | 'error'>): unknown {
    if (how === undefined) return this.run(CLIENT_UNBLOCK, [clientId], boolean);
    return this.run(CLIENT_UNBLOCK, [clientId, how], boolean);
  },

  clientUnpause(this: Runner): unknown {
    return this.run(CLIENT_UNPAUSE, [], ok);
  },

  echo(this: Runner, message: Argument): unknown {
    return this.run(ECHO, [message]);
  },

  ping(this: Runner, message?: Argument): unknown {
    if (message === undefined) return this.run(PING, [], word);
    return this.run(PING, [message]);
  },
} satisfies Methods<ConnectionCommands<Shape>>;
