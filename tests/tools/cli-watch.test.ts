import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { runCli } from '../../src/cli/shell/cli.js';
import { type EmbeddedStore, type Listener, open } from '../../src/store/index.js';
import { Certificates, noOpensslReason } from '../support/certificates.js';

/** The modes of `sorrel cli` that last until they are interrupted, and connections with TLS. */

let store: EmbeddedStore;
let port: string;
before(async () => {
  store = await open();
  port = portOf(await store.listen({ port: 0 }));
});
after(() => store.close());

function portOf({ address }: Listener): string {
  return address.replace(/.*:/, '');
}

/** Begins the sequences of a terminal's colours. */
const ESCAPE = '\\x1b\\[';

interface Outcome {
  readonly code: number;
  readonly shown: string;
}

/** Runs the program; interrupts it when it has printed what the pattern describes. */
async function cli(parameters: readonly string[], until?: RegExp, input = ''): Promise<Outcome> {
  let shown = '';
  let isInterrupted = false;
  const code = await runCli(
    parameters,
    { help: '', version: '' },
    {
      environment: {},
      input: Readable.from([Buffer.from(input)]),
      isOutputTerminal: false,
      write: (_, bytes) => {
        shown += bytes.toString();
        if (isInterrupted || until?.test(shown) !== true) return;
        isInterrupted = true;
        // After this line, as a signal would.
        setImmediate(() => process.emit('SIGINT'));
      },
    },
  );
  return { code, shown };
}

const watch = (until: RegExp, ...parameters: string[]): Promise<Outcome> =>
  cli(['-p', port, '-i', '0.02', ...parameters], until);

test('--stat prints a line of figures per interval, with a heading every 20 lines', async () => {
  const { code, shown } = await watch(/keys.*keys/s, '--stat');
  assert.equal(code, 0);
  const lines = shown.split('\n');
  assert.match(lines[1] as string, /^keys {7}mem {6}clients blocked requests {12}connections/);
  assert.match(lines[2] as string, /^0 {10}[\d.]+[KM] +1 +0 +\d+ \(\+0\) +1/);
  assert.match(lines[3] as string, /\(\+1\)/);
  assert.equal(lines.indexOf(lines[0] as string, 1), 22);
});

test('--latency prints one line per range, in each output mode', async () => {
  const options = ['-p', port, '-i', '0.05'];
  assert.match((await cli([...options, '--latency'])).shown, /^\d+ \d+ \d+\.\d\d \d+\n$/);
  assert.match((await cli([...options, '--csv', '--latency'])).shown, /^\d+,\d+,\d+\.\d\d,\d+\n$/);
  const { min, max, avg, count } = JSON.parse((await cli([...options, '--json', '--latency'])).shown);
  assert.ok(min <= avg && avg <= max && count > 1, `${min} ${avg} ${max} ${count}`);
  const { code, shown } = await watch(/\((\d+) samples/, '--no-raw', '--latency');
  assert.equal(code, 0);
  assert.match(shown, /^\rmin: \d+, max: \d+, avg: \d+\.\d\d \(1 samples\)/);
});

test('--latency-history begins again after each range', async () => {
  const { code, shown } = await watch(/range.*range/s, '--no-raw', '--latency-history');
  assert.equal(code, 0);
  const ranges = [...shown.matchAll(/\((\d+) samples\) -- (\d+\.\d\d) seconds range/g)];
  assert.ok(ranges.length >= 2, shown);
  assert.match(shown.slice(shown.indexOf('range')), /\(1 samples\)/);
});

test('--latency-dist prints a legend, then a row of columns per range', async () => {
  const { code, shown } = await watch(new RegExp(`${ESCAPE}38;5;0m.*\n`), '--latency-dist');
  assert.equal(code, 0);
  assert.match(shown, /From 0 to 100%: /);
  const [row = ''] = new RegExp(`${ESCAPE}38;5;0m.*`).exec(shown) ?? [];
  assert.equal(row.match(new RegExp(`${ESCAPE}48;5;\\d+m.`, 'g'))?.length, 31);
  assert.match(row, new RegExp(`${ESCAPE}48;5;(?!0m)\\d+m`), 'some column has samples');
});

test('--intrinsic-latency needs no server', async () => {
  const { code, shown } = await cli(['-p', '1', '--intrinsic-latency', '1']);
  assert.equal(code, 0);
  assert.match(shown, /^Max latency so far: \d+ microseconds\.\n/);
  assert.match(
    shown,
    /\n\d+ total runs \(avg latency: [\d.]+ microseconds \/ [\d.]+ nanoseconds per run\)\.\n/,
  );
  assert.match(shown, /Worst run took \d+x longer than the average latency\.\n$/);
});

test('an error of the server ends a mode that watches', async () => {
  const { code, shown } = await cli(['-p', port, '--user', 'x', '-a', 'y', '--stat'], /keys/);
  assert.equal(code, 0, shown);
  assert.match(shown, /AUTH failed: WRONGPASS/);
  assert.equal((await cli(['-p', '1', '--stat'])).code, 1);
  assert.equal((await cli(['-p', '1', '--latency'])).code, 1);
});

test('--tls connects with certificates, and debugs scripts', { skip: noOpensslReason }, async () => {
  const certificates = new Certificates();
  const { authority } = certificates;
  const identity = certificates.issue('server');
  const client = certificates.issue('client');
  const secure = await store.listen({
    port: 0,
    tls: { cert: identity.cert, key: identity.key, ca: authority.cert },
  });
  try {
    const tls = ['-p', portOf(secure), '--tls'];
    const own = ['--cert', client.certFile, '--key', client.keyFile];
    const trusted = [...tls, '--cacert', authority.certFile, ...own];
    assert.deepEqual(await cli([...trusted, 'ping']), { code: 0, shown: 'PONG\n' });
    assert.deepEqual(await cli([...trusted], undefined, 'set k v\nget k\n'), { code: 0, shown: 'OK\nv\n' });
    assert.deepEqual(await cli([...tls, '--insecure', ...own, 'get', 'k']), { code: 0, shown: 'v\n' });
    const untrusted = await cli([...tls, ...own, 'ping']);
    assert.equal(untrusted.code, 1);
    assert.match(untrusted.shown, /certificate/i);
    const script = join(certificates.folder, 'script.lua');
    writeFileSync(script, "redis.call('set', 'k', 'changed')\nreturn redis.call('get', 'k')");
    const debugged = await cli([...trusted, '--ldb', '--eval', script], undefined, 's\nc\nget k\n');
    assert.match(debugged.shown, /Stopped at 1.*<redis> set k changed.*"changed".*rolled back.*"v"/s);
    const sync = await cli([...trusted, '--ldb-sync-mode', '--eval', script]);
    assert.match(sync.shown, /not possible over TLS: use SCRIPT DEBUG YES/);
  } finally {
    await secure.close();
    certificates.remove();
  }
});
