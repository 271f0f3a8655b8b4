import { proportion } from '../money.ts';
import type { DisputeSnapshot, PaymentSnapshot, RefundSnapshot } from '../providers/provider.ts';

export type MovementKind = 'deposit' | 'refund' | 'dispute';

/** What a payment moves in the ledger, once for its key. */
export interface Movement {
  /** The idempotency key in the ledger. It names what moves money, never an event about it. */
  key: string;
  kind: MovementKind;
  /** Positive: a credit. */
  amountNanos: bigint;
  reason: string;
  /** The ledger refuses it rather than let the account owe. */
  refuseShortfall: boolean;
  /** The payment, refund or dispute at the provider. */
  providerId: string | undefined;
  /** What was received, refunded or disputed there, taxes included. */
  providerCents: bigint;
}

export interface Plan {
  /** To be booked, in this order. */
  movements: Movement[];
  /** Keys that were given back and ought to be taken again, which one key cannot do. */
  conflicts: string[];
}

/** What takes credit: the movement that does, and the one that gives it back. */
interface Taking {
  take: Movement;
  back: Pick<Movement, 'key' | 'kind' | 'reason'>;
  /** The provider has the money out of our account, or is about to. */
  stands: boolean;
  createdAtMs: number;
}

/** The keys under which the movements of a payment are booked. */
export const keys = {
  deposit: (provider: string, paymentId: string) => `${provider}:${paymentId}`,
  refund: (provider: string, { id, ours }: Pick<RefundSnapshot, 'id' | 'ours'>) =>
    ours === undefined ? `${provider}:${id}` : ownRefundKey(ours.refundId),
  dispute: (provider: string, { id }: Pick<DisputeSnapshot, 'id'>) => `${provider}:${id}`,
  /** What gives a failed refund back, and a won dispute. */
  failed: (refundKey: string) => `${refundKey}:failed`,
  won: (disputeKey: string) => `${disputeKey}:won`,
};

/** The key of a refund that was begun here: its credit is taken before the provider knows of it. */
export function ownRefundKey(refundId: string): string {
  return `refund:${refundId}`;
}

/** The movement that takes the credit of a refund begun here. */
export function takeOfOwnRefund(refundId: string, creditNanos: bigint, cents: bigint): Movement {
  return {
    key: ownRefundKey(refundId),
    kind: 'refund',
    amountNanos: -creditNanos,
    reason: `Refund ${refundId}`,
    refuseShortfall: true,
    providerId: undefined,
    providerCents: cents,
  };
}

/** The movement that gives the credit of a refund back. */
export function backOfRefund(take: Movement): Movement {
  return {
    ...take,
    key: keys.failed(take.key),
    amountNanos: -take.amountNanos,
    reason: `${take.reason} failed`,
    refuseShortfall: false,
  };
}

/**
 * Computes what a payment still has to move, from what the provider says of it now and from what was decided before. It depends
 * on no event. Credit is the part of the bought credit that was received, taxes aside. Refunds and disputes that stand take the
 * credit of their cumulative part, so that a full refund takes exactly what was credited, however many parts it has.
 *
 * @param creditNanos the credit to buy
 * @param recorded the movements decided before, which never change
 */
export function planMovements(
  provider: string,
  creditNanos: bigint,
  payment: PaymentSnapshot,
  recorded: readonly Movement[],
): Plan {
  const plan: Plan = { movements: [], conflicts: [] };
  if (payment.state !== 'succeeded' || payment.receivedCents <= 0n) return plan;
  const known = new Map(recorded.map((movement) => [movement.key, movement]));
  const deposit = known.get(keys.deposit(provider, payment.id)) ?? depositOf(provider, creditNanos, payment);
  if (deposit.amountNanos === 0n) return plan;
  if (!known.has(deposit.key)) plan.movements.push(deposit);

  const takings = takingsOf(provider, payment);
  for (const { take, back, stands } of takings) {
    const taken = known.get(take.key);
    if (taken === undefined) continue;
    const isGivenBack = known.has(back.key);
    if (stands && isGivenBack) plan.conflicts.push(take.key);
    if (!stands && !isGivenBack) {
      plan.movements.push({ ...taken, ...back, amountNanos: -taken.amountNanos, refuseShortfall: false });
    }
  }

  const standing = takings.filter(({ stands }) => stands);
  const seen = new Set(takings.map(({ take }) => take.key));
  // Refunds that were begun here, and are not at the provider yet.
  const coming = recorded.filter(
    ({ key, refuseShortfall }) => refuseShortfall && !seen.has(key) && !known.has(keys.failed(key)),
  );
  const before = [...coming, ...standing.flatMap(({ take }) => known.get(take.key) ?? [])];
  let cents = sum(before, (each) => each.providerCents);
  let taken = -sum(before, (each) => each.amountNanos);
  for (const { take } of standing) {
    if (known.has(take.key)) continue;
    cents += take.providerCents;
    const due = proportion(deposit.amountNanos, cents, payment.receivedCents) - taken;
    // What was begun here names its credit.
    const amountNanos = take.amountNanos === 0n ? -due : take.amountNanos;
    if (amountNanos >= 0n) continue;
    taken -= amountNanos;
    plan.movements.push({ ...take, amountNanos });
  }
  return plan;
}

function depositOf(provider: string, creditNanos: bigint, payment: PaymentSnapshot): Movement {
  return {
    key: keys.deposit(provider, payment.id),
    kind: 'deposit',
    amountNanos: proportion(creditNanos, payment.receivedCents, payment.cents),
    reason: `Payment ${payment.id}`,
    refuseShortfall: false,
    providerId: payment.id,
    providerCents: payment.receivedCents,
  };
}

/** Oldest first, so that each takes the same whenever it is first seen. */
function takingsOf(provider: string, payment: PaymentSnapshot): Taking[] {
  const takings = [
    ...payment.refunds.map((refund) => refundTaking(provider, refund)),
    ...payment.disputes.filter(({ withdrawn }) => withdrawn).map((dispute) => disputeTaking(provider, dispute)),
  ];
  return takings.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.take.key < b.take.key ? -1 : 1));
}

function refundTaking(provider: string, refund: RefundSnapshot): Taking {
  const { id, cents, ours, state, createdAtMs } = refund;
  const take: Movement =
    ours === undefined
      ? { ...unpriced(id, cents), key: keys.refund(provider, refund), kind: 'refund', reason: `Refund ${id}` }
      : { ...takeOfOwnRefund(ours.refundId, ours.creditNanos, cents), providerId: id };
  const { key, kind, reason } = backOfRefund(take);
  return { take, back: { key, kind, reason }, stands: state !== 'failed', createdAtMs };
}

function disputeTaking(provider: string, dispute: DisputeSnapshot): Taking {
  const { id, cents, won, createdAtMs } = dispute;
  const key = keys.dispute(provider, dispute);
  return {
    take: { ...unpriced(id, cents), key, kind: 'dispute', reason: `Dispute ${id}` },
    back: { key: keys.won(key), kind: 'deposit', reason: `Dispute ${id} won` },
    stands: !won,
    createdAtMs,
  };
}

/** Of which the credit is not known yet. */
function unpriced(providerId: string, providerCents: bigint) {
  return { amountNanos: 0n, refuseShortfall: false, providerId, providerCents };
}

function sum<T>(items: readonly T[], amountOf: (item: T) => bigint): bigint {
  return items.reduce((total, item) => total + amountOf(item), 0n);
}
