import type { Call } from '../call.js';
import { CommandError } from '../errors.js';
import { helpHandler } from '../help.js';

const CANNOT_LOAD = new CommandError('ERR Error loading the extension. Please check the server logs.');
const NOT_LOADED = new CommandError('ERR Error unloading module: no such module with that name');

/** Modules are compiled for Redis itself: there are none here, and none can be loaded. */
function list(call: Call): void {
  call.reply.array(0);
}

function load(call: Call): void {
  call.engine.host.log('warning', `Module ${call.text(2)} failed to load: this server has no modules`);
  throw CANNOT_LOAD;
}

function unload(): void {
  throw NOT_LOADED;
}

export const moduleHandlers = {
  help: helpHandler([
    'LIST',
    '    Return a list of loaded modules.',
    'LOAD <path> [<arg> ...]',
    '    Load a module library from <path>, passing to it any optional arguments.',
    'LOADEX <path> [[CONFIG NAME VALUE] [CONFIG NAME VALUE]] [ARGS ...]',
    '    Load a module library from <path>, while passing it module configurations and optional arguments.',
    'UNLOAD <name>',
    '    Unload a module.',
  ]),
  list,
  load,
  loadex: load,
  unload,
};
