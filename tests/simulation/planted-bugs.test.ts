import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { History } from '../../src/replication/history.js';
import { Replicas } from '../../src/replication/replicas.js';
import { SharedBuffer } from '../../src/replication/shared-buffer.js';
import { ReplicationStream } from '../../src/replication/stream.js';
import { runHistory } from './history.js';

/** A simulation that finds nothing proves nothing: each of these bugs must be found within a few histories. */

interface PlantedBug {
  readonly name: string;
  readonly found: RegExp;
  /** The length of a history that shows it, if it is not the usual one. */
  readonly steps?: number;
  /** The first history to try, if earlier ones do not show it: each takes up to a second. 1 by default. */
  readonly seed?: number;
  plant(): void;
}

const { prototype: history } = History;
const { prototype: buffer } = SharedBuffer;

const BUGS: readonly PlantedBug[] = [
  {
    name: 'a replica that continues is sent one byte too much',
    found: /differ|not within|went back/,
    plant() {
      const { reader } = buffer;
      mock.method(buffer, 'reader', function (this: SharedBuffer, offset: number) {
        return reader.call(this, Math.max(this.start, offset - 1));
      });
    },
  },
  {
    name: 'the backlog is not trimmed',
    found: /the backlog of/,
    steps: 200,
    seed: 6,
    plant() {
      const { open } = ReplicationStream.prototype;
      mock.method(ReplicationStream.prototype, 'open', function (this: ReplicationStream) {
        open.call(this);
        this.backlog?.resize(1 << 30);
      });
    },
  },
  {
    name: 'more is counted as acknowledged than was applied',
    found: /has acknowledged/,
    seed: 2,
    plant() {
      const { acknowledged } = Replicas.prototype;
      mock.method(
        Replicas.prototype,
        'acknowledged',
        function (this: Replicas, session: never, offset: number) {
          acknowledged.call(this, session, offset + 1);
        },
      );
    },
  },
  {
    name: 'a replica is not told which database the stream is for',
    found: /differ/,
    seed: 12,
    plant: () => void mock.method(ReplicationStream.prototype, 'reselect', () => {}),
  },
  {
    name: 'a promoted replica keeps the id of the history that it leaves',
    found: /differ/,
    plant: () => void mock.method(history, 'fork', () => {}),
  },
  {
    name: 'the history before a promotion is continued beyond the promotion',
    found: /differ|not within|went back/,
    plant() {
      const { remember } = history;
      mock.method(history, 'remember', function (this: History, id: string, offset: number) {
        remember.call(this, id, offset + 1000);
      });
    },
  },
  {
    name: 'every history is taken for our own',
    found: /differ|not within|went back/,
    plant: () => void mock.method(history, 'continues', () => true),
  },
];

describe('the simulation finds the bug that', () => {
  for (const { name, found, steps, seed: first = 1, plant } of BUGS) {
    it(name, async () => {
      plant();
      try {
        await assert.rejects(async () => {
          for (let seed = first; seed < first + MAX_HISTORIES; seed++) {
            await runHistory(seed, steps);
          }
        }, found);
      } finally {
        mock.restoreAll();
      }
    });
  }
});

const MAX_HISTORIES = 40;
