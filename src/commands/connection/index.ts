import { helpHandler } from '../help.js';
import { select } from '../server/databases.js';
import { family } from '../table.js';
import { auth, hello } from './authentication.js';
import {
  clientGetName,
  clientId,
  clientInfo,
  clientList,
  clientNoEvict,
  clientReply,
  clientSetName,
  clientUnblock,
} from './client.js';
import { clientHelp } from './client-help.js';
import { clientKill } from './client-kill.js';
import { clientPause, clientUnpause } from './client-pause.js';
import { echo, ping } from './ping.js';
import { rows } from './rows.js';
import { quit, reset } from './session-state.js';
import { clientCaching, clientGetredir, clientTracking, clientTrackinginfo } from './tracking.js';

export const connection = family(rows, {
  auth,
  client: {
    caching: clientCaching,
    getname: clientGetName,
    getredir: clientGetredir,
    help: helpHandler(clientHelp),
    id: clientId,
    info: clientInfo,
    kill: clientKill,
    list: clientList,
    'no-evict': clientNoEvict,
    pause: clientPause,
    reply: clientReply,
    setname: clientSetName,
    tracking: clientTracking,
    trackinginfo: clientTrackinginfo,
    unblock: clientUnblock,
    unpause: clientUnpause,
  },
  echo,
  hello,
  ping,
  quit,
  reset,
  select,
});
