import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ManualClock, open } from '../../store/index.js';
import { type Reservation, type ReserveResult, stock } from './index.js';

function reserved(result: ReserveResult): Reservation {
  assert.equal(result.outcome, 'reserved');
  return result as Reservation;
}

describe('Stock', () => {
  it('runs the example of its documentation', async () => {
    await using store = await open();
    const sale = stock(store, { hold: 600_000, perBuyer: 1 });
    await sale.offer('tv', 100);
    const { id } = reserved(await sale.reserve('tv', 'ann'));
    assert.equal(await sale.confirm('tv', 'ann', id), true);
    assert.deepEqual(await sale.status('tv'), { total: 100, available: 99, reserved: 0, sold: 1 });
  });

  it('is sold out when all units are reserved or sold, and says when to come back', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const sale = stock(store, { hold: 1_000 });
    await sale.offer('tv', 2);
    const ann = reserved(await sale.reserve('tv', 'ann'));
    assert.deepEqual(ann.until, new Date(1_700_000_001_000));
    clock.advance(400);
    const bob = reserved(await sale.reserve('tv', 'bob'));
    assert.deepEqual(await sale.reserve('tv', 'cem'), { outcome: 'sold-out', available: 0, retryIn: 600 });
    clock.advance(600);
    assert.equal(reserved(await sale.reserve('tv', 'cem')).quantity, 1, "ann's reservation has lapsed");
    assert.equal(await sale.confirm('tv', 'ann', ann.id), false, 'a late payment buys nothing');
    assert.equal(await sale.confirm('tv', 'bob', bob.id), true);
    assert.deepEqual(await sale.status('tv'), { total: 2, available: 0, reserved: 1, sold: 1 });
    assert.deepEqual(await sale.reserve('tv', 'bob'), { outcome: 'limit', bought: 1 });
  });

  it('sells for good: without reservations there is nothing to wait for', async () => {
    await using store = await open();
    const sale = stock(store);
    await sale.offer('tv', 1);
    await sale.confirm('tv', 'ann', reserved(await sale.reserve('tv', 'ann')).id);
    assert.deepEqual(await sale.reserve('tv', 'bob'), {
      outcome: 'sold-out',
      available: 0,
      retryIn: undefined,
    });
  });

  it('a reservation that has lapsed cannot be confirmed, also if no other call has noticed', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const sale = stock(store, { hold: 1_000 });
    await sale.offer('tv', 1);
    const { id } = reserved(await sale.reserve('tv', 'ann'));
    clock.advance(1_000);
    assert.equal(await sale.confirm('tv', 'ann', id), false);
    assert.deepEqual(await sale.status('tv'), { total: 1, available: 1, reserved: 0, sold: 0 });
  });

  it('a buyer has one reservation, which is not prolonged', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const sale = stock(store, { hold: 1_000, perBuyer: 3 });
    await sale.offer('tv', 5);
    const first = reserved(await sale.reserve('tv', 'ann'));
    clock.advance(700);
    assert.deepEqual(await sale.reserve('tv', 'ann'), first);
    const more = reserved(await sale.reserve('tv', 'ann', { quantity: 3 }));
    assert.deepEqual(more, { ...first, quantity: 3 });
    assert.deepEqual(await sale.reserve('tv', 'ann', { quantity: 4 }), { outcome: 'limit', bought: 0 });
    clock.advance(300);
    assert.equal((await sale.status('tv'))?.available, 5);
    assert.notEqual(reserved(await sale.reserve('tv', 'ann')).id, first.id);
  });

  it('a confirmation that is sent twice sells once', async () => {
    await using store = await open();
    const sale = stock(store, { perBuyer: 2 });
    await sale.offer('tv', 5);
    const { id } = reserved(await sale.reserve('tv', 'ann'));
    assert.equal(await sale.confirm('tv', 'ann', id), true);
    assert.equal(await sale.confirm('tv', 'ann', id), true);
    assert.equal((await sale.status('tv'))?.sold, 1);
    assert.equal(await sale.cancel('tv', 'ann', id), false);
    assert.equal(await sale.confirm('tv', 'bob', id), false, 'a reservation is for one buyer');
  });

  it('can be raised and lowered, but not below what is taken', async () => {
    await using store = await open();
    const sale = stock(store);
    await assert.rejects(sale.reserve('tv', 'ann'), { code: 'UNKNOWN_ITEM' });
    assert.equal(await sale.status('tv'), undefined);
    await sale.offer('tv', 2);
    await sale.reserve('tv', 'ann');
    const { id } = reserved(await sale.reserve('tv', 'bob'));
    await assert.rejects(sale.offer('tv', 1), { code: 'TAKEN' });
    assert.equal(await sale.cancel('tv', 'bob', id), true);
    await sale.offer('tv', 1);
    assert.deepEqual(await sale.remove('tv'), { total: 1, available: 0, reserved: 1, sold: 0 });
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('releases any number of lapsed reservations', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    await using store = await open('memory:', { clock });
    const sale = stock(store, { hold: 1_000, perBuyer: 450 });
    await sale.offer('tv', 450);
    for (let i = 0; i < 450; i++) await sale.reserve('tv', `buyer ${i}`);
    clock.advance(1_000);
    assert.equal(reserved(await sale.reserve('tv', 'ann', { quantity: 450 })).quantity, 450);
  });

  it('behaves like a plain model', async () => {
    const buyer = fc.constantFrom('ann', 'bob', 'cem', 'dan');
    const step = fc.oneof(
      fc.record({ offer: fc.nat(6) }),
      fc.record({ reserve: buyer, quantity: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ confirm: buyer }),
      fc.record({ cancel: buyer }),
      fc.record({ look: fc.constant(true) }),
      fc.record({ pause: fc.constantFrom(1, 300, 999, 1_000, 5_000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
        const clock = new ManualClock(1_700_000_000_000);
        await using store = await open('memory:', { clock });
        const sale = stock(store, { hold: 1_000, perBuyer: 3 });
        const model = new ModelStock();
        await sale.offer('x', 0);
        const ids = new Map<string, string>();
        for (const one of steps) {
          if ('pause' in one) clock.advance(one.pause);
          else if ('look' in one) assert.deepEqual(await sale.status('x'), model.status(clock.now()));
          else if ('offer' in one) {
            const isTaken = await sale.offer('x', one.offer).then(
              () => false,
              ({ code }) => code === 'TAKEN',
            );
            assert.equal(isTaken, !model.offer(one.offer, clock.now()));
          } else if ('reserve' in one) {
            const result = await sale.reserve('x', one.reserve, { quantity: one.quantity });
            assert.equal(result.outcome, model.reserve(one.reserve, one.quantity, clock.now()));
            if (result.outcome === 'reserved') ids.set(one.reserve, result.id);
          } else if ('confirm' in one) {
            const id = ids.get(one.confirm) ?? 'none';
            assert.equal(
              await sale.confirm('x', one.confirm, id),
              model.confirm(one.confirm, id, clock.now()),
            );
          } else {
            await sale.cancel('x', one.cancel, ids.get(one.cancel) ?? 'none');
            model.holds.delete(one.cancel);
          }
        }
        assert.deepEqual(await sale.status('x'), model.status(clock.now()));
      }),
      { numRuns: 100 },
    );
  });
});

class ModelStock {
  total = 0;
  readonly holds = new Map<string, { quantity: number; until: number }>();
  readonly bought = new Map<string, number>();
  readonly #confirmed = new Map<string, string>();

  status(now: number): object {
    for (const [buyer, { until }] of this.holds) if (until <= now) this.holds.delete(buyer);
    const reservedUnits = [...this.holds.values()].reduce((sum, { quantity }) => sum + quantity, 0);
    const sold = [...this.bought.values()].reduce((sum, quantity) => sum + quantity, 0);
    const available = this.total - reservedUnits - sold;
    assert.ok(available >= 0, 'never more than there are');
    return { total: this.total, available, reserved: reservedUnits, sold };
  }

  offer(total: number, now: number): boolean {
    const { available } = this.status(now) as { available: number };
    if (total < this.total - available) return false;
    this.total = total;
    return true;
  }

  reserve(buyer: string, quantity: number, now: number): string {
    const { available } = this.status(now) as { available: number };
    const held = this.holds.get(buyer);
    if (held?.quantity === quantity) return 'reserved';
    if ((this.bought.get(buyer) ?? 0) + quantity > 3) return 'limit';
    if (available < quantity - (held?.quantity ?? 0)) return 'sold-out';
    this.holds.set(buyer, { quantity, until: held?.until ?? now + 1_000 });
    return 'reserved';
  }

  confirm(buyer: string, id: string, now: number): boolean {
    this.status(now);
    const held = this.holds.get(buyer);
    if (held === undefined) return this.#confirmed.get(buyer) === id;
    this.holds.delete(buyer);
    this.bought.set(buyer, (this.bought.get(buyer) ?? 0) + held.quantity);
    this.#confirmed.set(buyer, id);
    return true;
  }
}
