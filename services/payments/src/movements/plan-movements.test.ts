import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paidSnapshot } from '../../testing/payment-snapshots.ts';
import { NANOS_PER_CENT } from '../money.ts';
import type { DisputeSnapshot, PaymentSnapshot, RefundSnapshot } from '../providers/provider.ts';
import { type Movement, planMovements, takeOfOwnRefund } from './plan-movements.ts';
import { leftOf, sumsOf } from './sums.ts';

const DOLLAR = 100n * NANOS_PER_CENT;
const CREDIT = 100n * DOLLAR;

function refund(changes: Partial<RefundSnapshot> = {}): RefundSnapshot {
  return { id: 're_1', cents: 2_500n, state: 'succeeded', createdAtMs: 1_000, ours: undefined, ...changes };
}

function dispute(changes: Partial<DisputeSnapshot> = {}): DisputeSnapshot {
  return { id: 'dp_1', cents: 10_000n, withdrawn: true, won: false, open: true, createdAtMs: 2_000, ...changes };
}

/** The movements after each of the snapshots was seen. */
function afterSeeing(
  credit: bigint,
  snapshots: readonly PaymentSnapshot[],
  before: readonly Movement[] = [],
): Movement[] {
  const recorded = [...before];
  for (const snapshot of snapshots) recorded.push(...planMovements('stripe', credit, snapshot, recorded).movements);
  return recorded;
}

function amounts(movements: readonly Movement[]) {
  return Object.fromEntries(
    movements.map(({ key, kind, amountNanos }) => [key, `${kind} ${amountNanos / NANOS_PER_CENT}`]),
  );
}

describe('a payment', () => {
  it('moves nothing until it has succeeded', () => {
    for (const state of ['unpaid', 'processing', 'canceled'] as const) {
      expect(afterSeeing(CREDIT, [paidSnapshot({ state, refunds: [refund()] })])).toEqual([]);
    }
  });

  it('credits what was bought, not the taxes on it', () => {
    const taxed = paidSnapshot({ cents: 11_900n, receivedCents: 11_900n });
    expect(amounts(afterSeeing(CREDIT, [taxed]))).toEqual({ 'stripe:pi_1': 'deposit 10000' });
  });

  it('credits the part that was captured', () => {
    const captured = paidSnapshot({ cents: 11_900n, receivedCents: 5_950n });
    expect(amounts(afterSeeing(CREDIT, [captured]))).toEqual({ 'stripe:pi_1': 'deposit 5000' });
  });

  it('takes the credit of refunds and of disputes whose money was withdrawn', () => {
    const snapshot = paidSnapshot({
      refunds: [refund({ state: 'pending' })],
      disputes: [dispute({ cents: 7_500n }), dispute({ id: 'dp_2', withdrawn: false })],
    });
    expect(amounts(afterSeeing(CREDIT, [snapshot]))).toEqual({
      'stripe:pi_1': 'deposit 10000',
      'stripe:re_1': 'refund -2500',
      'stripe:dp_1': 'dispute -7500',
    });
  });

  it('gives back a refund that failed and a dispute that was won', () => {
    const before = paidSnapshot({ refunds: [refund()], disputes: [dispute()] });
    const after = paidSnapshot({
      refunds: [refund({ state: 'failed' })],
      disputes: [dispute({ won: true, open: false })],
    });
    expect(amounts(afterSeeing(CREDIT, [before, after]))).toEqual({
      'stripe:pi_1': 'deposit 10000',
      'stripe:re_1': 'refund -2500',
      'stripe:re_1:failed': 'refund 2500',
      'stripe:dp_1': 'dispute -10000',
      'stripe:dp_1:won': 'deposit 10000',
    });
  });

  it('moves nothing for what had failed before it was seen', () => {
    const snapshot = paidSnapshot({ refunds: [refund({ state: 'failed' })], disputes: [dispute({ won: true })] });
    expect(amounts(afterSeeing(CREDIT, [snapshot]))).toEqual({ 'stripe:pi_1': 'deposit 10000' });
  });

  it('says when what was given back is taken again', () => {
    const recorded = afterSeeing(CREDIT, [
      paidSnapshot({ disputes: [dispute()] }),
      paidSnapshot({ disputes: [dispute({ won: true })] }),
    ]);
    expect(planMovements('stripe', CREDIT, paidSnapshot({ disputes: [dispute()] }), recorded)).toEqual({
      movements: [],
      conflicts: ['stripe:dp_1'],
    });
  });

  it('takes a refund that was begun here under its own key, once', () => {
    const refundId = '0190f4a8-0000-7000-8000-000000000001';
    const taxed = { cents: 11_900n, receivedCents: 11_900n };
    const begun = [...afterSeeing(CREDIT, [paidSnapshot(taxed)]), takeOfOwnRefund(refundId, 30n * DOLLAR, 3_570n)];
    const ours = { refundId, creditNanos: 30n * DOLLAR };
    const there = paidSnapshot({ ...taxed, refunds: [refund({ cents: 3_570n, ours })] });
    expect(planMovements('stripe', CREDIT, there, begun).movements).toEqual([]);
    // As when the rows were lost.
    const made = amounts(afterSeeing(CREDIT, [there]));
    expect(made).toEqual({ 'stripe:pi_1': 'deposit 10000', [`refund:${refundId}`]: 'refund -3000' });
    const rest = refund({ id: 're_2', cents: 8_330n, createdAtMs: 3_000 });
    const full = afterSeeing(
      CREDIT,
      [paidSnapshot({ ...taxed, refunds: [refund({ cents: 3_570n, ours }), rest] })],
      begun,
    );
    expect(leftOf(sumsOf(full))).toBe(0n);
  });
});

/** A payment whose amount, taxes and captured part are arbitrary. */
const paid = fc
  .record({
    creditCents: fc.integer({ min: 1, max: 500_000 }),
    taxPercent: fc.constantFrom(0, 7, 19, 25),
    capturedPercent: fc.constantFrom(100, 100, 50, 33),
  })
  .map(({ creditCents, taxPercent, capturedPercent }) => {
    const cents = BigInt(creditCents) + (BigInt(creditCents) * BigInt(taxPercent)) / 100n;
    const receivedCents = (cents * BigInt(capturedPercent)) / 100n;
    return { credit: BigInt(creditCents) * NANOS_PER_CENT, cents, receivedCents };
  })
  .filter(({ receivedCents }) => receivedCents > 0n);

/** What becomes of refunds and disputes over time: each moment is what the provider says then. */
const history = paid.chain((payment) =>
  fc
    .array(
      fc.record({
        kind: fc.constantFrom('refund', 'dispute'),
        share: fc.integer({ min: 1, max: 1_000 }),
        begins: fc.integer({ min: 0, max: 8 }),
        ends: fc.integer({ min: 1, max: 5 }),
        isGivenBack: fc.boolean(),
      }),
      { maxLength: 5 },
    )
    .map((takings) => ({ ...payment, takings })),
);

type History = typeof history extends fc.Arbitrary<infer T> ? T : never;
const MOMENTS = 15;

function snapshotAt({ cents, receivedCents, takings }: History, moment: number): PaymentSnapshot {
  const refunds: RefundSnapshot[] = [];
  const disputes: DisputeSnapshot[] = [];
  for (const [index, { kind, share, begins, ends, isGivenBack }] of takings.entries()) {
    if (moment < begins) continue;
    const common = {
      cents: 1n + ((receivedCents - 1n) * BigInt(share)) / 1_000n,
      createdAtMs: begins,
    };
    const hasEnded = moment >= begins + ends;
    if (kind === 'refund') {
      const state = hasEnded ? (isGivenBack ? 'failed' : 'succeeded') : 'pending';
      refunds.push(refund({ id: `re_${index}`, state, ...common }));
    } else {
      disputes.push(dispute({ id: `dp_${index}`, won: hasEnded && isGivenBack, open: !hasEnded, ...common }));
    }
  }
  return paidSnapshot({ cents, receivedCents, refunds, disputes });
}

describe('movements of a payment', () => {
  const seen = history.chain((of) =>
    fc.array(fc.integer({ min: 0, max: MOMENTS }), { maxLength: 12 }).map((moments) => ({ of, moments })),
  );
  /** What stands in the end takes its part of the credit, to the nano-dollar. */
  const restOf = ({ credit, cents, receivedCents }: History, last: PaymentSnapshot) => {
    const standing = [
      ...last.refunds.filter(({ state }) => state !== 'failed'),
      ...last.disputes.filter(({ won }) => !won),
    ].reduce((total, each) => total + each.cents, 0n);
    const deposit = Number(credit) * (Number(receivedCents) / Number(cents));
    return deposit * (1 - Number(standing) / Number(receivedCents));
  };

  it('end at the same balance whatever was seen before, in any order and however often', () => {
    fc.assert(
      fc.property(seen, ({ of, moments }) => {
        const last = snapshotAt(of, MOMENTS);
        const once = afterSeeing(of.credit, [last]);
        const often = afterSeeing(of.credit, [...moments.map((moment) => snapshotAt(of, moment)), last, last]);
        const difference = leftOf(sumsOf(often)) - leftOf(sumsOf(once));
        // A nano-dollar of rounding for each refund or dispute, where taxes or a partial capture make parts uneven.
        const tolerance =
          of.cents === of.receivedCents && of.credit === of.cents * NANOS_PER_CENT ? 0n : BigInt(of.takings.length);
        expect(difference <= tolerance && difference >= -tolerance).toBe(true);
        expect(Math.abs(Number(leftOf(sumsOf(once))) - restOf(of, last))).toBeLessThanOrEqual(
          10 + Number(of.credit) * 1e-12,
        );
      }),
    );
  });

  it('are the same in every order of true answers, repeated or not', () => {
    fc.assert(
      fc.property(seen, ({ of, moments }) => {
        const without = { ...of, takings: of.takings.map((taking) => ({ ...taking, isGivenBack: false })) };
        const last = snapshotAt(without, MOMENTS);
        const inOrder = [...moments].sort((a, b) => a - b).map((moment) => snapshotAt(without, moment));
        const byKey = (movements: readonly Movement[]) => new Map(movements.map((each) => [each.key, each]));
        expect(byKey(afterSeeing(of.credit, [...inOrder, last]))).toEqual(byKey(afterSeeing(of.credit, [last])));
        const anyOrder = moments.map((moment) => snapshotAt(without, moment));
        expect(byKey(afterSeeing(of.credit, [...anyOrder, last]))).toEqual(byKey(afterSeeing(of.credit, [last])));
      }),
    );
  });

  it('sum to what was credited less what was refunded and disputed, each key once', () => {
    fc.assert(
      fc.property(seen, ({ of, moments }) => {
        const movements = afterSeeing(
          of.credit,
          moments.map((moment) => snapshotAt(of, moment)),
        );
        const total = movements.reduce((sum, { amountNanos }) => sum + amountNanos, 0n);
        expect(total).toBe(leftOf(sumsOf(movements)));
        expect(new Set(movements.map(({ key }) => key)).size).toBe(movements.length);
      }),
    );
  });

  it('take exactly the credit when everything was refunded, in any parts', () => {
    fc.assert(
      fc.property(paid, fc.array(fc.bigInt({ min: 1n, max: 10_000n }), { maxLength: 6 }), (payment, parts) => {
        const { credit, cents, receivedCents } = payment;
        let left = receivedCents;
        const refunds: RefundSnapshot[] = [];
        for (const [index, part] of [...parts, receivedCents].entries()) {
          const taken = part < left ? part : left;
          if (taken > 0n) refunds.push(refund({ id: `re_${index}`, cents: taken, createdAtMs: index }));
          left -= taken;
        }
        const snapshots = refunds.map((_, index) =>
          paidSnapshot({ cents, receivedCents, refunds: refunds.slice(0, index + 1) }),
        );
        expect(leftOf(sumsOf(afterSeeing(credit, snapshots)))).toBe(0n);
        expect(leftOf(sumsOf(afterSeeing(credit, snapshots.slice(-1))))).toBe(0n);
      }),
    );
  });
});
