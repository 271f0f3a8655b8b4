import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareLots, type Lot } from './lot.ts';
import { LotBook } from './lot-book.ts';

const nanos = fc.bigInt({ min: 0n, max: 100n });

const lot: fc.Arbitrary<Lot> = fc
  .record({
    lotId: fc.uuid(),
    kind: fc.constantFrom('paid' as const, 'granted' as const, 'contractual' as const),
    priority: fc.constantFrom(10, 50),
    endsAtMs: fc.constantFrom(undefined, 5n, 9n),
    createdAtMs: fc.bigInt({ min: 1n, max: 4n }),
    remaining: fc.bigInt({ min: 1n, max: 50n }),
    spent: nanos,
    taken: nanos,
  })
  .map((given) => ({
    ...given,
    paymentId: given.lotId,
    amount: given.remaining + given.spent + given.taken,
    expired: 0n,
    dueAtMs: undefined,
  }));
const lots = fc.uniqueArray(lot, { minLength: 1, maxLength: 6, selector: ({ lotId }) => lotId });

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
const leftOf = (list: readonly Lot[]) => new Map(list.map(({ lotId, remaining }) => [lotId, remaining]));
const options = { newLotId: 'new', nowMs: 7n };

/** Opens lots of an account to which something was charged since the last attribution. */
function open(list: readonly Lot[], charged: bigint, outside = 0n): LotBook {
  const credit = sum(list.map(({ remaining }) => remaining)) - charged + outside;
  return LotBook.open(list, { credit, charged: 1_000n + charged, attributed: 1_000n }, options);
}

/** Parts of the credit of lots, of any sizes. */
const spending = lots.chain((list) =>
  fc
    .array(fc.bigInt({ min: 0n, max: 60n }), { maxLength: 8 })
    .map((charges) => {
      let left = sum(list.map(({ remaining }) => remaining));
      return charges.map((charge) => {
        const part = charge < left ? charge : left;
        left -= part;
        return part;
      });
    })
    .map((charges) => ({ list, charges })),
);

describe('attribution', () => {
  it('of many charges at once is that of each by itself', () => {
    fc.assert(
      fc.property(spending, ({ list, charges }) => {
        // Independently: every nano-dollar is taken from the first lot that has one.
        const left = [...list].sort(compareLots).map(({ lotId, remaining }) => ({ lotId, remaining }));
        for (const charge of charges) {
          for (let nano = 0n; nano < charge; nano += 1n) {
            const first = left.find(({ remaining }) => remaining > 0n);
            if (first === undefined) throw new Error('too much is charged');
            first.remaining -= 1n;
          }
        }
        const book = open(list, sum(charges));
        expect(leftOf(book.lots)).toEqual(new Map(left.map(({ lotId, remaining }) => [lotId, remaining])));
        expect(book.attributed).toBe(1_000n + sum(charges));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('keeps what a lot was, and reports the lots that changed', () => {
    fc.assert(
      fc.property(spending, ({ list, charges }) => {
        const before = new Map(list.map((each) => [each.lotId, each]));
        const book = open(list, sum(charges));
        const changed = new Set(book.changed.map(({ lotId }) => lotId));
        for (const { lotId, amount, remaining, spent, taken, expired } of book.lots) {
          expect(amount).toBe(remaining + spent + taken + expired);
          expect(changed.has(lotId)).toBe(remaining !== before.get(lotId)?.remaining);
        }
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  it('follows priority, then end, then age', () => {
    const of = (lotId: string, priority: number, endsAtMs: bigint | undefined, createdAtMs: bigint): Lot => ({
      lotId,
      paymentId: lotId,
      kind: 'paid',
      priority,
      endsAtMs,
      createdAtMs,
      amount: 10n,
      remaining: 10n,
      spent: 0n,
      taken: 0n,
      expired: 0n,
      dueAtMs: undefined,
    });
    const right = [
      of('preferred', 10, undefined, 9n),
      of('ends first', 50, 20n, 8n),
      of('ends next', 50, 30n, 1n),
      of('oldest', 50, undefined, 1n),
      of('newest', 50, undefined, 2n),
      of('last', 90, 10n, 1n),
    ];
    const book = open([...right].reverse(), 25n);
    expect(book.lots.map(({ lotId, remaining }) => [lotId, remaining])).toEqual([
      ['preferred', 0n],
      ['ends first', 0n],
      ['ends next', 5n],
      ['oldest', 10n],
      ['newest', 10n],
      ['last', 10n],
    ]);
  });
});

describe('credit in no lot', () => {
  it('of an account from before lots becomes one paid lot without an end', () => {
    const book = LotBook.open([], { credit: 30n, charged: 70n, attributed: undefined }, options);
    expect(book.changed).toEqual([
      {
        lotId: 'new',
        paymentId: undefined,
        kind: 'paid',
        priority: 50,
        endsAtMs: undefined,
        createdAtMs: 7n,
        amount: 100n,
        remaining: 30n,
        spent: 70n,
        taken: 0n,
        expired: 0n,
        dueAtMs: undefined,
      },
    ]);
    expect(book.attributed).toBe(70n);
  });

  it('that an older release added or took is added to the lots, or taken from them', () => {
    fc.assert(
      fc.property(lots, fc.bigInt({ min: -60n, max: 60n }), (list, moved) => {
        const before = sum(list.map(({ remaining }) => remaining));
        const outside = before + moved < 0n ? -before : moved;
        const book = open(list, 0n, outside);
        expect(book.remaining()).toBe(before + outside);
        expect(book.lots.find(({ lotId }) => lotId === 'new')?.amount).toBe(outside > 0n ? outside : undefined);
      }),
      { seed: 3, numRuns: 200 },
    );
  });
});

describe('a debit', () => {
  it('takes the lots it names first, then the others in order', () => {
    fc.assert(
      fc.property(lots, nanos, fc.nat(5), (list, wanted, pick) => {
        const named = list[pick % list.length]?.lotId;
        const book = open(list, 0n);
        const all = book.remaining();
        const amount = wanted < all ? wanted : all;
        const before = leftOf(book.lots);
        book.take(amount, ({ lotId }) => lotId === named);
        expect(book.remaining()).toBe(all - amount);
        const ofNamed = before.get(named ?? '') ?? 0n;
        expect(leftOf(book.lots).get(named ?? '')).toBe(amount > ofNamed ? 0n : ofNamed - amount);
        const others = book.lots.filter(({ lotId }) => lotId !== named);
        const untouched = others.findIndex(({ lotId, remaining }) => remaining > 0n && remaining !== before.get(lotId));
        // Only the last one that was touched has something left.
        if (untouched >= 0) {
          for (const { lotId, remaining } of others.slice(untouched + 1)) expect(remaining).toBe(before.get(lotId));
          for (const { remaining } of others.slice(0, untouched)) expect(remaining).toBe(0n);
        }
        expect(() => book.take(book.remaining() + 1n)).toThrow('lots lack 1 nano-dollars');
      }),
      { seed: 4, numRuns: 300 },
    );
  });
});

describe('the shares of leased credit', () => {
  it('are what the lots lose if all of it is charged', () => {
    fc.assert(
      fc.property(lots, nanos, (list, wanted) => {
        const all = sum(list.map(({ remaining }) => remaining));
        const leased = wanted < all ? wanted : all;
        const after = leftOf(open(list, leased).lots);
        for (const [{ lotId, remaining }, share] of open(list, 0n).leasedShares(leased)) {
          expect(remaining - share).toBe(after.get(lotId));
        }
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});
