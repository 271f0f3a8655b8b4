import type { Actor } from '@tollgate/common/actors/token';
import { messageOf, RpcError } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { formatDollars } from '@tollgate/common/money';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { PaymentsConfig } from '../config.ts';
import { dailyLimit, LIMIT_PERIOD_MS, PROVEN_AFTER_MS } from '../limits/daily-limit.ts';
import { centsOf } from '../money.ts';
import { type Provider, ProviderError } from '../providers/provider.ts';
import { countBegun, customerOf, lockAccount, readPaidIn, replaceCustomer } from '../store/accounts.ts';
import {
  failPayment,
  findPayment,
  findPaymentByKey,
  insertPayment,
  type PaymentRow,
  recordCheckout,
} from '../store/payments.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The page can be paid this long after it was begun. */
export const OPEN_MS = 2 * HOUR_MS;

/** How long the page of a payment can still be made: the provider refuses one that would end within half an hour. */
export const MAKE_WITHIN_MS = HOUR_MS;

/** When the reconciler first looks at a payment. */
const FIRST_CHECK_MS = MINUTE_MS;

const MAX_BEGUN = { ofAccount: 10, ofPerson: 20 };

export interface CheckoutDependencies {
  config: Pick<PaymentsConfig, 'CONSOLE_URL' | 'PAYMENT_DAILY_LIMIT'>;
  pool: Pool;
  provider: Provider;
  logger: Logger;
  installationId: () => string;
  now: () => number;
}

export interface CheckoutRequest {
  accountId: string;
  amountNanos: bigint;
  saveMethod: boolean;
  idempotencyKey: string;
  actor: Actor;
}

/** Begins a payment, or continues the one with the same idempotency key. */
export async function createCheckout(deps: CheckoutDependencies, request: CheckoutRequest): Promise<PaymentRow> {
  const { pool, now, logger } = deps;
  const payment = await inTransaction(pool, (client) => beginPayment(deps, client, request));
  if (payment.state !== 'pending' || payment.checkout_id !== null) return payment;
  if (now() - Number(payment.created_at_ms) > MAKE_WITHIN_MS) {
    await failPayment(pool, payment, 'expired');
    return readPayment(pool, payment);
  }
  try {
    await recordCheckout(pool, payment, await makePage(deps, payment));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { account_id, payment_id } = payment;
    logger.error({ account_id, payment_id, code: error.code, err: error }, 'the payment provider made no checkout');
    if (error.kind !== 'refused') {
      throw new RpcError('unavailable', 'the payment provider cannot be reached', { cause: error });
    }
    await failPayment(pool, payment, error.code);
    throw new RpcError('failed_precondition', 'the payment provider refuses the payment', { cause: error });
  }
  return readPayment(pool, payment);
}

async function readPayment(pool: Pool, { account_id, payment_id }: PaymentRow): Promise<PaymentRow> {
  const row = await findPayment(pool, account_id, payment_id);
  if (row === undefined) throw new Error('a payment was removed');
  return row;
}

/** Inserts the payment within the limits of the account and the person. */
async function beginPayment(
  { config, now }: CheckoutDependencies,
  client: PoolClient,
  { accountId, amountNanos, saveMethod, idempotencyKey, actor }: CheckoutRequest,
): Promise<PaymentRow> {
  // One at a time, so that limits hold.
  await lockAccount(client, accountId);
  const known = await findPaymentByKey(client, accountId, idempotencyKey);
  if (known !== undefined) {
    if (known.amount_nanos === amountNanos && known.save_method === saveMethod) return known;
    throw new RpcError('already_exists', 'idempotency_key: was used with different input');
  }
  const nowMs = now();
  const begun = await countBegun(client, { accountId, personId: actor.id, sinceMs: nowMs - HOUR_MS });
  if (begun.ofAccount >= MAX_BEGUN.ofAccount) {
    throw new RpcError('resource_exhausted', `an account can begin ${MAX_BEGUN.ofAccount} payments an hour`);
  }
  if (actor.id !== '' && begun.ofPerson >= MAX_BEGUN.ofPerson) {
    throw new RpcError('resource_exhausted', `a person can begin ${MAX_BEGUN.ofPerson} payments an hour`);
  }
  const { leftNanos } = dailyLimit(config.PAYMENT_DAILY_LIMIT, await readPaidIn(client, accountId, limitTimes(nowMs)));
  if (amountNanos > leftNanos) {
    const left = formatDollars(leftNanos);
    throw new RpcError('failed_precondition', `amount_nanos: the account may pay in ${left} USD more within 24 hours`);
  }
  const paymentId = newId();
  await insertPayment(client, {
    accountId,
    paymentId,
    idempotencyKey,
    amountNanos,
    saveMethod,
    createdBy: actor.name,
    createdById: actor.id,
    createdAtMs: nowMs,
    nextCheckMs: nowMs + FIRST_CHECK_MS,
  });
  const row = await findPayment(client, accountId, paymentId);
  if (row === undefined) throw new Error('an inserted payment is missing');
  return row;
}

/** The times that the daily limit depends on. */
export function limitTimes(nowMs: number): { oldBeforeMs: number; recentSinceMs: number } {
  return { oldBeforeMs: nowMs - PROVEN_AFTER_MS, recentSinceMs: nowMs - LIMIT_PERIOD_MS };
}

/** Makes the page where the person pays. The same payment gets the same page, also after a crash. */
async function makePage(deps: CheckoutDependencies, row: PaymentRow): Promise<{ checkoutId: string; url: string }> {
  const { config, provider, pool, logger } = deps;
  const amountCents = centsOf(row.amount_nanos);
  if (amountCents === undefined) throw new Error('a payment is not in whole cents');
  const topUp = `${config.CONSOLE_URL}/accounts/${row.account_id}/top-up`;
  const options = {
    origin: {
      installationId: deps.installationId(),
      accountId: row.account_id,
      paymentId: row.payment_id,
      creditNanos: row.amount_nanos,
    },
    amountCents,
    saveMethod: row.save_method,
    successUrl: `${topUp}?payment=${row.payment_id}`,
    cancelUrl: `${topUp}?cancelled=${row.payment_id}`,
    expiresAtMs: Number(row.created_at_ms) + OPEN_MS,
  };
  const customerId = (await customerOf(pool, row.account_id)) ?? (await makeCustomer(deps, row.account_id, undefined));
  try {
    return await provider.createCheckout({ ...options, customerId, idempotencyKey: row.payment_id });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'no_customer') throw error;
    logger.warn({ account_id: row.account_id, reason: messageOf(error) }, 'the customer is gone, and is made again');
    const made = await makeCustomer(deps, row.account_id, customerId);
    // The provider may keep the failure under the key.
    return provider.createCheckout({ ...options, customerId: made, idempotencyKey: `${row.payment_id}:${made}` });
  }
}

/** Makes the account's customer, once in place of each one that is gone. */
async function makeCustomer(
  { provider, pool, installationId }: CheckoutDependencies,
  accountId: string,
  gone: string | undefined,
): Promise<string> {
  const key = ['customer', installationId(), accountId, ...(gone === undefined ? [] : [gone])].join(':');
  return replaceCustomer(pool, accountId, await provider.createCustomer(accountId, installationId(), key), gone);
}
