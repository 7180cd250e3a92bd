import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RandomSource, seededRandom } from '../../src/bytes/random.js';
import { Parsed, RequestParser } from '../../src/resp/request-parser.js';
import type { SimulatedServer } from '../simulation/simulated-server.js';
import { Simulation } from '../simulation/simulation.js';

const ID = 'a'.repeat(40);
const MARK = 'b'.repeat(40);

/** What a master answers to each request of the handshake; the last answer is followed by `stream`. */
interface Script {
  readonly psync: string | Buffer;
  readonly stream?: readonly (string | Buffer)[];
  readonly closesAfterMs?: number;
  /** Settings of the replica. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A replica of a master that says what the script has, whatever it is asked. */
async function replicaOfScript(
  script: Script,
  seed = 1,
): Promise<{ simulation: Simulation; replica: SimulatedServer; asked: () => number }> {
  const simulation = new Simulation(seed);
  const { closesAfterMs, settings } = script;
  let asked = 0;
  simulation.network.listen(7000, (peer) => {
    const parser = new RequestParser();
    return {
      received(chunk) {
        parser.feed(chunk, chunk.length);
        while (parser.next({ maxBulkLength: 1 << 20 }) === Parsed.command) {
          const [name, option] = parser.args.map(String);
          if (name === 'PSYNC') {
            asked++;
            peer.send(Buffer.from(script.psync));
            for (const piece of script.stream ?? []) peer.send(Buffer.from(piece));
            if (closesAfterMs !== undefined) simulation.time.after(closesAfterMs, () => peer.close());
          } else if (option !== 'ACK') peer.send(Buffer.from('+OK\r\n'));
        }
        parser.finish();
      },
      closed() {},
    };
  });
  const replica = simulation.addServer(settings);
  replica.run('SET', 'own', 'value');
  replica.run('REPLICAOF', '127.0.0.1', 7000);
  await simulation.pass(20_000);
  return { simulation, replica, asked: () => asked };
}

/** The bytes of a snapshot with some keys. */
function snapshot(): Buffer {
  const simulation = new Simulation(1);
  const server = simulation.addServer();
  for (let i = 0; i < 50; i++) server.run('SET', `key:${i}`, 'x'.repeat(i));
  server.run('RPUSH', 'list', 'a', 'b');
  server.save();
  const bytes = server.disk;
  simulation.close();
  return bytes;
}

function full(bytes: Buffer): (string | Buffer)[] {
  return [`$EOF:${MARK}\r\n`, bytes, MARK];
}

const FULL = `+FULLRESYNC ${ID} 0\r\n`;

describe('a master that sends rubbish', () => {
  for (const [what, psync] of Object.entries({
    'a reply that is none': 'hello\r\n',
    'a full resync without an id': '+FULLRESYNC\r\n',
    'a full resync with a wrong offset': `+FULLRESYNC ${ID} -5\r\n`,
    'bytes without an end of line': Buffer.alloc(200_000, 65),
    'a snapshot that is none': `${FULL}:5\r\n`,
    'an empty snapshot': `${FULL}$0\r\n`,
  })) {
    it(`is left when its answer is ${what}, and the data stays`, async () => {
      const { replica, simulation } = await replicaOfScript({ psync });
      assert.notEqual(replica.replication.link?.state, 'connected');
      assert.equal(replica.run('GET', 'own'), '$5\r\nvalue\r\n');
      assert.ok(
        replica.log.some((line) => line.includes('Synchronization with MASTER 127.0.0.1:7000 failed')),
      );
      simulation.close();
    });
  }

  it('with a damaged snapshot leaves no half of the data', async () => {
    const whole = snapshot();
    const random = seededRandom(5);
    for (let round = 0; round < 60; round++) {
      const damaged = damage(whole, random);
      const { replica, simulation } = await replicaOfScript({ psync: FULL, stream: full(damaged) }, round);
      // It tries repeatedly.
      await simulation.passUntil(() => !replica.engine.isLoading);
      const size = replica.run('DBSIZE');
      const isUp = replica.replication.link?.isUp === true;
      assert.ok(
        isUp || size === ':0\r\n' || replica.run('GET', 'own') !== '$-1\r\n',
        `round ${round}: ${size}`,
      );
      simulation.close();
    }
  });

  it('in its stream is left, and what was applied are whole units', async () => {
    const random = seededRandom(6);
    const good =
      '*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n';
    for (let round = 0; round < 40; round++) {
      const rubbish = Buffer.from(Array.from({ length: 1 + random.integer(300) }, () => random.integer(256)));
      const stream = [...full(snapshot()), good, '*2\r\n!\r\n', rubbish];
      const { replica, simulation } = await replicaOfScript({ psync: FULL, stream }, round);
      assert.equal(replica.run('GET', 'n'), '$-1\r\n', 'the transaction was not completed');
      assert.ok(
        replica.log.some((line) => line.includes('violates the protocol')),
        replica.log.join('\n'),
      );
      simulation.close();
    }
  });

  it('in its stream may send empty lines, but no commands in lines, as Redis sends none', async () => {
    const ping = '*1\r\n$4\r\nPING\r\n';
    for (const [lines, isUp] of [
      [`\n${ping}\n\r\n${ping}`, true],
      [`${ping}SET own other\r\n`, false],
      [`${ping}FLUSHALL\n${ping}`, false],
    ] as const) {
      const stream = [...full(snapshot()), lines];
      const { replica, simulation, asked } = await replicaOfScript({ psync: FULL, stream });
      assert.equal(replica.replication.link?.isUp, isUp, lines);
      assert.equal(replica.run('GET', 'own'), '$-1\r\n');
      assert.equal(replica.run('LLEN', 'list'), ':2\r\n');
      assert.equal(
        replica.log.some((line) => line.includes('violates the protocol')),
        !isUp,
      );
      // In twenty seconds.
      assert.ok(asked() <= (isUp ? 1 : 30), `${asked()} attempts`);
      simulation.close();
    }
  });

  /** What a replica logs of a history that only rubbish names. */
  async function linesOf(other: string, script: Script, seed: number): Promise<readonly string[]> {
    const { replica, simulation } = await replicaOfScript(script, seed);
    simulation.close();
    assert.ok(replica.log.some((line) => /violates the protocol|a snapshot was expected/.test(line)));
    return replica.log.filter((line) => line.includes(other));
  }

  it('is left at once: what follows the rubbish is not taken for an answer on the next connection', async () => {
    const other = 'c'.repeat(40);
    const answer = `+FULLRESYNC ${other} 7\r\n`;
    // So that all of the stream arrives before the snapshot is loaded.
    const settings = { 'key-load-delay': '20000' };
    const stream = [...full(snapshot()), '*2\r\n!\r\n', answer];
    for (let seed = 1; seed <= 10; seed++) {
      assert.deepEqual(
        await linesOf(other, { psync: FULL, stream, settings }, seed),
        [],
        'behind a snapshot',
      );
      assert.deepEqual(await linesOf(other, { psync: `${FULL}:5\r\n${answer}` }, seed), [], 'instead of one');
    }
  });
});

/** Cut off, or with some bytes changed. */
function damage(whole: Buffer, random: RandomSource): Buffer {
  const bytes = Buffer.from(whole);
  if (random.integer(3) === 0) return bytes.subarray(0, random.integer(bytes.length));
  for (let n = 1 + random.integer(5); n > 0; n--) bytes[random.integer(bytes.length)] = random.integer(256);
  return bytes;
}

describe('a master that closes the connection during a transfer', () => {
  /** The number of attempts in 20 seconds, if the connection is closed after this time. */
  async function attempts(closesAfterMs: number): Promise<number> {
    const stream = [`$EOF:${MARK}\r\n`, snapshot().subarray(0, 100)];
    const { simulation, asked } = await replicaOfScript({ psync: FULL, stream, closesAfterMs });
    simulation.close();
    return asked();
  }

  it('is asked again at once', async () => {
    const count = await attempts(300);
    assert.ok(count > 30, `${count} attempts`);
  });

  it('is asked once a second if it closes at once', async () => {
    const count = await attempts(0);
    assert.ok(count > 10 && count < 30, `${count} attempts`);
  });
});
