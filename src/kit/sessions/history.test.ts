import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open } from '../../store/index.js';
import { sessions } from './index.js';

const IDLE = 1_000;
const LIMIT = 4;
const USERS = ['ann', 'bob'];

/** A session as a plain program would keep it. */
interface Plain {
  readonly token: string;
  readonly user: string | undefined;
  seen: number;
  data: Record<string, number>;
  items: string[];
}

const which = fc.nat(9);
const step = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), user: fc.option(fc.nat(1), { nil: undefined }) }),
  fc.record({ kind: fc.constant('touch' as const), which, item: fc.option(fc.nat(3), { nil: undefined }) }),
  fc.record({ kind: fc.constant('update' as const), which, field: fc.nat(2), value: fc.nat(9) }),
  fc.record({ kind: fc.constant('revoke' as const), which }),
  fc.record({ kind: fc.constant('revokeUser' as const), user: fc.nat(1) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(700) }),
  fc.record({ kind: fc.constant('clean' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Sessions in a list, with the same rules. */
class PlainSessions {
  list: Plain[] = [];

  expire(now: number): void {
    // As in Redis, a key is there in the last millisecond of its time to live.
    this.list = this.list.filter(({ seen }) => now - seen <= IDLE);
  }

  clean(): void {
    this.list.sort((a, b) => a.seen - b.seen);
    this.list = this.list.slice(Math.max(0, this.list.length - LIMIT));
  }
}

async function play(steps: readonly Step[], shards: number): Promise<void> {
  const clock = new ManualClock(1_700_000_000_000);
  await using store = await open('memory:', { clock });
  const all = sessions<Record<string, number>>(store, { idle: IDLE, limit: LIMIT, shards, viewed: 2 });
  const plain = new PlainSessions();
  const tokens: string[] = [];
  for (const step of steps) {
    clock.advance(1);
    plain.expire(clock.now());
    const token = 'which' in step ? (tokens[step.which % Math.max(1, tokens.length)] ?? 'none') : '';
    const known = plain.list.find((one) => one.token === token);
    switch (step.kind) {
      case 'create': {
        const user = step.user === undefined ? undefined : (USERS[step.user] as string);
        const created = await all.create(user === undefined ? {} : { user });
        tokens.push(created.token);
        plain.list.push({ token: created.token, user, seen: clock.now(), data: {}, items: [] });
        break;
      }
      case 'touch': {
        const item = step.item === undefined ? undefined : `item ${step.item}`;
        const found = await all.touch(token, item === undefined ? {} : { item });
        assert.equal(found !== undefined, known !== undefined);
        if (known === undefined) break;
        known.seen = clock.now();
        if (item !== undefined) {
          known.items = [item, ...known.items.filter((other) => other !== item)].slice(0, 2);
        }
        break;
      }
      case 'update': {
        const changes = { [`f${step.field}`]: step.value };
        const found = await all.update(token, changes);
        assert.equal(found !== undefined, known !== undefined);
        if (known === undefined) break;
        known.seen = clock.now();
        Object.assign(known.data, changes);
        break;
      }
      case 'revoke':
        assert.equal(await all.revoke(token), known !== undefined);
        plain.list = plain.list.filter((one) => one !== known);
        break;
      case 'revokeUser': {
        const user = USERS[step.user] as string;
        assert.equal(await all.revokeUser(user), plain.list.filter((one) => one.user === user).length);
        plain.list = plain.list.filter((one) => one.user !== user);
        break;
      }
      case 'wait':
        clock.advance(step.ms);
        plain.expire(clock.now());
        break;
      case 'clean':
        await all.clean();
        plain.clean();
        break;
    }
  }
  for (const token of tokens) {
    const known = plain.list.find((one) => one.token === token);
    const found = await all.get(token);
    assert.deepEqual([found?.user, found?.data], [known?.user, known?.data]);
    assert.deepEqual(await all.viewed(token), known?.items ?? []);
  }
  assert.equal(await all.count(), plain.list.length);
  for (const user of USERS) {
    const theirs = plain.list.filter((one) => one.user === user).sort((a, b) => b.seen - a.seen);
    const listed = await all.ofUser(user);
    assert.deepEqual(
      listed.map(({ seenAt }) => seenAt.getTime()),
      theirs.map(({ seen }) => seen),
    );
  }
}

describe('Sessions and a plain list of them', () => {
  for (const shards of [1, 3]) {
    it(`are the same after any history, with ${shards} shards`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) => play(steps, shards)),
        { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 40 },
      );
    });
  }
});
