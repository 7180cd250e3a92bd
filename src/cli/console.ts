import { parseArgs } from 'node:util';
import { console as serveConsole } from '../console/index.js';
import { withoutPassword } from '../store/address.js';
import { open } from '../store/index.js';

const DEFAULT_ADDRESS = 'redis://127.0.0.1:6379';

/** `sorrel console [ADDRESS]`: serves until it is interrupted. */
export async function runConsole(parameters: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      token: { type: 'string' },
      'read-only': { type: 'boolean', default: false },
      'base-path': { type: 'string', default: '/' },
      'allow-host': { type: 'string', multiple: true, default: [] },
      title: { type: 'string' },
    },
  });
  if (positionals.length > 1) throw new Error('one address at most: sorrel console [ADDRESS]');
  const address = positionals[0] ?? DEFAULT_ADDRESS;
  if (!/^\d+$/.test(values.port)) throw new Error(`--port must be a number, not '${values.port}'`);
  const shown = withoutPassword(address);
  const isEmbedded = /^(memory|file):/i.test(address);
  const store = await open(address, isEmbedded ? {} : { clientName: 'sorrel-console' });
  try {
    const { title, token } = values;
    const served = await serveConsole(store, {
      port: Number(values.port),
      host: values.host,
      readOnly: values['read-only'],
      basePath: values['base-path'],
      hosts: values['allow-host'],
      title: title ?? shown.replace(/^redis:\/\//, ''),
      ...(token === undefined ? {} : { token }),
    });
    console.log(
      `The console of ${shown}${values['read-only'] ? ', read-only,' : ''} is at\n\n  ${served.address}\n`,
    );
    console.log('Open this address in a browser. Ctrl-C ends the console.');
    await interrupted();
    await served.close();
  } finally {
    await store.close();
  }
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}
