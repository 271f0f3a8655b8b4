import type { Actor } from '@tollgate/common/actors/token';
import { messageOf, RpcError } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { PaymentsConfig } from '../config.ts';
import { checkLimits } from '../limits/check-limits.ts';
import { hashNetwork } from '../limits/client-network.ts';
import { centsOf } from '../money.ts';
import { type Provider, ProviderError } from '../providers/provider.ts';
import { customerOf, lockAccount, replaceCustomer } from '../store/accounts.ts';
import {
  failPayment,
  findPayment,
  findPaymentByKey,
  insertPayment,
  type PaymentRow,
  recordCheckout,
} from '../store/payments.ts';
import { requireConfirmation } from '../top-up/confirmation.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The page can be paid this long after it was begun. */
export const OPEN_MS = 2 * HOUR_MS;

/** How long the page of a payment can still be made: the provider refuses one that would end within half an hour. */
export const MAKE_WITHIN_MS = HOUR_MS;

/** When the reconciler first looks at a payment. */
const FIRST_CHECK_MS = MINUTE_MS;

export interface CheckoutDependencies {
  config: Pick<PaymentsConfig, 'CONSOLE_URL' | 'PAYMENT_DAILY_LIMIT' | 'STRIPE_SECRET_KEY'>;
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
  /** The crossing whose charge it confirms. */
  confirms: bigint | undefined;
  idempotencyKey: string;
  actor: Actor;
  /** Empty: not known. */
  clientAddress: string;
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

/** Inserts the payment within the limits of the account, the person and the network. */
async function beginPayment(
  { config, now }: CheckoutDependencies,
  client: PoolClient,
  { accountId, amountNanos, saveMethod, confirms, idempotencyKey, actor, clientAddress }: CheckoutRequest,
): Promise<PaymentRow> {
  // One at a time, so that limits hold.
  await lockAccount(client, accountId);
  const known = await findPaymentByKey(client, accountId, idempotencyKey);
  if (known !== undefined) {
    if (
      known.amount_nanos === amountNanos &&
      known.save_method === saveMethod &&
      (known.crossing ?? undefined) === confirms
    ) {
      return known;
    }
    throw new RpcError('already_exists', 'idempotency_key: was used with different input');
  }
  const nowMs = now();
  if (confirms !== undefined) await requireConfirmation(client, { accountId, confirms, amountNanos, nowMs });
  const clientNetwork = actor.role === 'operator' ? undefined : hashNetwork(config, clientAddress);
  await checkLimits(config, client, { accountId, personId: actor.id, clientNetwork }, amountNanos, nowMs);
  const paymentId = newId();
  await insertPayment(client, {
    accountId,
    paymentId,
    idempotencyKey,
    amountNanos,
    saveMethod,
    crossing: confirms,
    createdBy: actor.name,
    createdById: actor.id,
    clientNetwork,
    createdAtMs: nowMs,
    nextCheckMs: nowMs + FIRST_CHECK_MS,
  });
  const row = await findPayment(client, accountId, paymentId);
  if (row === undefined) throw new Error('an inserted payment is missing');
  return row;
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
      crossing: row.crossing ?? undefined,
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
