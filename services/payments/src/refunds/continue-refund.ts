import { insertAudit } from '@tollgate/common/audit/audit-log';
import type { Logger } from '@tollgate/common/logging';
import { formatDollars } from '@tollgate/common/money';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { backOfRefund, keys, type Movement, takeOfOwnRefund } from '../movements/plan-movements.ts';
import { type Provider, ProviderError } from '../providers/provider.ts';
import { insertMovement, movementsOf, recordBooked, recordProviderId, removeUnbooked } from '../store/movements.ts';
import { findPayment, lockPayment, type PaymentRow, recordChange } from '../store/payments.ts';
import { endRefund, findRefund, type RefundRow, recordTry } from '../store/refunds.ts';
import type { Book } from '../synchronize/book.ts';
import type { Findings } from '../synchronize/findings.ts';
import type { Synchronize } from '../synchronize/synchronize.ts';

export interface RefundDependencies {
  pool: Pool;
  provider: Provider;
  book: Book;
  findings: Findings;
  synchronize: Synchronize;
  logger: Logger;
  now: () => number;
}

/** How a refund ended: `short`: less is left of the payment, or available; else the provider's reason. */
export type RefundOutcome = { state: 'accepted' } | { state: 'refused'; failure: string };

export const SHORT = 'short';

/** When a refunded payment is looked at, at the latest. */
const LOOK_MS = 60_000;

/**
 * Continues a refund wherever it stopped: takes its credit, asks the provider for it, and gives the credit back if the provider
 * refuses. Every step can be repeated, and two processes can do it at once.
 *
 * @throws whatever leaves the outcome open
 */
export async function continueRefund(deps: RefundDependencies, refund: RefundRow): Promise<RefundOutcome> {
  const { pool, provider, now } = deps;
  const { account_id, payment_id } = refund;
  const current = (await findRefund(pool, account_id, refund.refund_id)) ?? refund;
  const payment = await findPayment(pool, account_id, payment_id);
  const providerPayment = payment?.provider_payment ?? undefined;
  if (payment === undefined || providerPayment === undefined) throw new Error('a refund has no payment');
  if (current.state !== 'open') return outcomeOf(current);
  const take = takeOfOwnRefund(refund.refund_id, refund.amount_nanos, refund.provider_cents);
  const paymentKey = keys.deposit(provider.name, providerPayment);
  if (!(await takeCredit(deps, refund, { take, paymentKey }))) return { state: 'refused', failure: SHORT };
  try {
    const providerId = await askProvider(deps, refund, providerPayment);
    await inTransaction(pool, async (client) => {
      await lockPayment(client, account_id, payment_id);
      await recordProviderId(client, account_id, take.key, providerId);
      // In case that is not done now: it may fail later.
      await recordChange(client, payment, now() + LOOK_MS);
      await endRefund(client, refund, 'accepted');
    });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
    await giveBack(deps, refund, payment, { take, paymentKey, failure: error.code });
    const ended = (await findRefund(pool, account_id, refund.refund_id)) ?? refund;
    return outcomeOf(ended);
  }
  await deps.synchronize({ providerPayment });
  return { state: 'accepted' };
}

function outcomeOf({ state, failure }: RefundRow): RefundOutcome {
  return state === 'refused' ? { state, failure: failure ?? '' } : { state: 'accepted' };
}

interface Taking {
  take: Movement;
  /** See BookingOf. */
  paymentKey: string;
}

/** Takes the credit, with the audit entry; false if less is left of the payment, or available, which ends the refund. */
async function takeCredit(deps: RefundDependencies, refund: RefundRow, { take, paymentKey }: Taking): Promise<boolean> {
  const { pool, book, findings, now } = deps;
  const { account_id, payment_id, refund_id, actor } = refund;
  const recorded = (await movementsOf(pool, account_id, [payment_id])).find(({ key }) => key === take.key);
  if (recorded?.bookedAtMs !== undefined) return true;
  const booking = await book(account_id, take, { createdBy: actor.name, paymentKey });
  switch (booking) {
    case 'short':
    case 'refused':
      if (booking === 'refused') findings.report('refused_by_ledger', { account_id, payment_id, movement: take.key });
      await inTransaction(pool, async (client) => {
        await lockPayment(client, account_id, payment_id);
        await removeUnbooked(client, account_id, take.key);
        await endRefund(client, refund, 'refused', SHORT);
      });
      return false;
    case 'different':
      findings.report('booked_differently', { account_id, payment_id, movement: take.key });
      break;
    case 'booked':
      break;
    default:
      booking satisfies never;
  }
  await inTransaction(pool, async (client) => {
    if (!(await recordBooked(client, account_id, take.key, now()))) return;
    await insertAudit('payments', client, actor, {
      accountId: account_id,
      action: 'payment.refund',
      targetId: payment_id,
      targetName: '',
      details: { amount: formatDollars(refund.amount_nanos), currency: 'USD', reason: refund.reason, refund_id },
    });
  });
  return true;
}

/** Gets the refund from the provider. Its idempotency key holds for a day, so later the refunds it has are looked through. */
async function askProvider({ pool, provider }: RefundDependencies, refund: RefundRow, providerPayment: string) {
  const { refund_id: refundId, amount_nanos: creditNanos, provider_cents: cents } = refund;
  if ((await recordTry(pool, refund)) > 0) {
    const fetched = await provider.fetch({ providerPayment });
    const made = fetched?.payment?.refunds.find(({ ours }) => ours?.refundId === refundId);
    if (made !== undefined) return made.id;
  }
  return provider.refund({ providerPayment, refundId, creditNanos, cents });
}

/** Ends a refund that the provider refused, and gives its credit back. */
async function giveBack(
  { pool, book, findings, logger, now }: RefundDependencies,
  refund: RefundRow,
  { account_id, payment_id }: PaymentRow,
  { take, paymentKey, failure }: Taking & { failure: string },
): Promise<void> {
  const back = backOfRefund(take);
  const isRefused = await inTransaction(pool, async (client) => {
    await lockPayment(client, account_id, payment_id);
    const current = await findRefund(client, account_id, refund.refund_id);
    if (current?.state !== 'open') return current?.state === 'refused';
    await insertMovement(client, account_id, payment_id, back);
    return true;
  });
  // Another process got it.
  if (!isRefused) return;
  const booking = await book(account_id, back, { createdBy: refund.actor.name, paymentKey });
  if (booking !== 'booked') findings.report('refused_by_ledger', { account_id, payment_id, movement: back.key });
  await inTransaction(pool, async (client) => {
    await recordBooked(client, account_id, back.key, now());
    await endRefund(client, refund, 'refused', failure);
  });
  logger.warn({ account_id, payment_id, refund_id: refund.refund_id, code: failure }, 'a refund was refused');
}
