import type { Logger } from '@tollgate/common/logging';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { centsOf } from '../money.ts';
import { KEY_USED, type Provider, ProviderError } from '../providers/provider.ts';
import { lockAccount } from '../store/accounts.ts';
import { type CrossingOutcome, type CrossingRow, dropUnasked, recordAsked } from '../store/crossings.ts';
import { findPayment, type PaymentRow } from '../store/payments.ts';
import type { Synchronize } from '../synchronize/synchronize.ts';
import { chargeEndOf, pauseAfterDecline } from './charge-end.ts';
import { type Ending, endCharge } from './end-charge.ts';

const MINUTE_MS = 60_000;

/** A charge that was not asked for by then is decided anew: the balance may be another one. */
export const ASK_WITHIN_MS = 10 * MINUTE_MS;

/** The provider is asked again under the same key for this long, far less than the 24 hours for which it keeps the key. */
export const ASK_AGAIN_MS = 60 * MINUTE_MS;

/** What the provider does not list this long after it was last asked, it does not have. */
const LISTED_AFTER_MS = 10 * MINUTE_MS;

export interface ChargeDependencies {
  pool: Pool;
  provider: Provider;
  synchronize: Synchronize;
  logger: Logger;
  installationId: () => string;
  now: () => number;
}

/**
 * Goes on with a crossing wherever it stopped: asks the provider for its charge, or finds that charge again, and books it. Every
 * step can be repeated, and two processes can do it at once.
 *
 * @returns how it ended; undefined: its credit is to come
 * @throws whatever leaves that open
 */
export async function continueCrossing(
  deps: ChargeDependencies,
  crossing: CrossingRow,
): Promise<CrossingOutcome | undefined> {
  const payment = await readPayment(deps.pool, crossing);
  if (payment.state === 'settled') return end(deps, crossing, SETTLED);
  const found = payment.provider_payment ?? (await askOrFind(deps, crossing));
  return typeof found === 'string' ? follow(deps, crossing, found) : found.ended;
}

async function readPayment(pool: Pool, { account_id, payment_id }: CrossingRow): Promise<PaymentRow> {
  const payment = await findPayment(pool, account_id, payment_id);
  if (payment === undefined) throw new Error('a crossing has no payment');
  return payment;
}

interface Ended {
  ended: CrossingOutcome | undefined;
}

/** The provider's id of the charge, or how the crossing ended without one. */
async function askOrFind(deps: ChargeDependencies, crossing: CrossingRow): Promise<string | Ended> {
  const { provider, logger, now } = deps;
  const { account_id, payment_id, customer_id, asked_first_ms, asked_last_ms } = crossing;
  if (asked_first_ms === null && now() - Number(crossing.crossed_at_ms) > ASK_WITHIN_MS) return drop(deps, crossing);
  if (asked_first_ms === null || now() - Number(asked_first_ms) < ASK_AGAIN_MS) return ask(deps, crossing);
  const sinceMs = Number(asked_first_ms) - LISTED_AFTER_MS;
  const found = await provider.findPayment({ customerId: customer_id, paymentId: payment_id, sinceMs });
  if (found !== undefined) return found;
  if (now() - Number(asked_last_ms) < LISTED_AFTER_MS) return { ended: undefined };
  const details = { account_id, payment_id, crossing: crossing.number.toString() };
  logger.error(details, 'the payment provider has no charge of an automatic top-up that it was asked for');
  return { ended: await end(deps, crossing, { ...NO_PAUSE, outcome: 'unanswered', failure: 'unanswered' }) };
}

async function drop({ pool, now }: ChargeDependencies, { account_id }: CrossingRow): Promise<Ended> {
  const isDropped = await inTransaction(pool, async (client) => {
    await lockAccount(client, account_id);
    return dropUnasked(client, account_id, now());
  });
  return { ended: isDropped ? 'dropped' : undefined };
}

async function ask(deps: ChargeDependencies, crossing: CrossingRow): Promise<string | Ended> {
  const { pool, provider, now, installationId } = deps;
  const { account_id: accountId, payment_id: paymentId, number, amount_nanos: creditNanos } = crossing;
  const amountCents = centsOf(creditNanos);
  if (amountCents === undefined) throw new Error('a charge is not in whole cents');
  // It was switched off in the meantime.
  if (!(await recordAsked(pool, crossing, now()))) return { ended: undefined };
  try {
    return await provider.chargeSaved({
      origin: { installationId: installationId(), accountId, paymentId, creditNanos, crossing: number },
      customerId: crossing.customer_id,
      methodId: crossing.method_id,
      amountCents,
      idempotencyKey: `top-up:${installationId()}:${accountId}:${number}`,
    });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind === 'unavailable') throw error;
    return { ended: await endRefused(deps, crossing, error) };
  }
}

/** The provider will not make this charge, whoever asks again. */
async function endRefused(
  deps: ChargeDependencies,
  crossing: CrossingRow,
  error: ProviderError,
): Promise<CrossingOutcome | undefined> {
  const { account_id, payment_id, number } = crossing;
  const details = { account_id, payment_id, crossing: number.toString() };
  if (error.code === KEY_USED) {
    // Of a time that a restored backup does not know; the reconciler books what was charged then.
    deps.logger.error(details, 'the number of an automatic top-up was used before');
    return end(deps, crossing, { ...NO_PAUSE, outcome: 'superseded', failure: 'superseded' });
  }
  deps.logger.error({ ...details, code: error.code, err: error }, 'the payment provider refuses an automatic top-up');
  const isRemoved = error.kind === 'no_customer' || !(await hasMethod(deps.provider, crossing));
  const reason = isRemoved ? 'card_removed' : 'refused';
  const pause = { reason, untilMs: undefined, crossing: undefined, failure: error.code } as const;
  return end(deps, crossing, { outcome: 'refused', failure: error.code, isDecline: false, pause: () => pause });
}

async function hasMethod(provider: Provider, { customer_id, method_id }: CrossingRow): Promise<boolean> {
  const methods = await provider.listMethods(customer_id);
  return methods.some(({ id }) => id === method_id);
}

/** Books what the provider has of the charge, or ends the crossing with why there is nothing to book. */
async function follow(
  deps: ChargeDependencies,
  crossing: CrossingRow,
  providerPayment: string,
): Promise<CrossingOutcome | undefined> {
  const { pool, provider, synchronize } = deps;
  await synchronize({ providerPayment });
  if ((await readPayment(pool, crossing)).state === 'settled') return end(deps, crossing, SETTLED);
  const payment = (await provider.fetch({ providerPayment }))?.payment;
  if (payment === undefined) return undefined;
  const charge = chargeEndOf(payment);
  switch (charge.end) {
    case 'coming':
      return undefined;
    case 'confirmation':
      return end(deps, crossing, {
        outcome: 'confirmation',
        failure: charge.failure,
        isDecline: false,
        pause: () => ({
          reason: 'confirmation',
          untilMs: undefined,
          crossing: crossing.number,
          failure: charge.failure,
        }),
      });
    case 'declined':
      return end(deps, crossing, {
        outcome: 'declined',
        failure: charge.failure,
        isDecline: true,
        pause: (declines, nowMs) => pauseAfterDecline(declines + 1, charge, nowMs),
      });
    default:
      return charge satisfies never;
  }
}

const NO_PAUSE = { isDecline: false, pause: () => undefined };
const SETTLED: Ending = { ...NO_PAUSE, outcome: 'settled', failure: undefined };

async function end(
  deps: ChargeDependencies,
  crossing: CrossingRow,
  ending: Ending,
): Promise<CrossingOutcome | undefined> {
  return (await endCharge(deps, crossing, ending)) ? ending.outcome : undefined;
}
