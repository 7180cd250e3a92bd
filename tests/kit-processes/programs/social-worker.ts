/**
 * A process of a social network: processes its queue, and changes it at random, until it is killed. Arguments: the port of a Redis, a
 * seed. Tells its parent of each change.
 */
import { socialNetwork } from '../../../src/kit/social/index.js';
import { open } from '../../../src/store/index.js';
import { NETWORK, USERS } from './social-plan.js';

const [port, seed] = process.argv.slice(2).map(Number) as [number, number];
const store = await open(`redis://127.0.0.1:${port}`);
const network = socialNetwork(store, NETWORK);
network.work({ concurrency: 4 });

let state = seed;
/** A small generator, so that a round can be repeated. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

async function change(): Promise<unknown> {
  const [user, other] = [USERS[random(USERS.length)], USERS[random(USERS.length)]] as [string, string];
  switch (random(8)) {
    case 0:
    case 1:
    case 2:
      return user === other ? undefined : network.follow(user, other);
    case 3:
      return network.unfollow(user, other);
    case 4: {
      const [status] = (await network.profile(user, { count: 1 })).statuses;
      return status === undefined ? undefined : network.deleteStatus(user, status.id);
    }
    default:
      return network.post(user, 'text');
  }
}

process.once('disconnect', () => process.exit(0));
for (;;) {
  await Promise.all([change(), change(), change()]);
  process.send?.('changed');
}
