import { RpcError } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { OPEN_MS } from '../checkout/create-checkout.ts';
import { FAILED_CARDS_MS } from '../limits/failed-cards.ts';
import { keys, planMovements } from '../movements/plan-movements.ts';
import type { Origin } from '../providers/origin.ts';
import type { Fetched, PaymentRef, PaymentSnapshot, Provider } from '../providers/provider.ts';
import { insertFailedCards } from '../store/limits.ts';
import { insertMovement, movementsOf, type RecordedMovement, recordBooked } from '../store/movements.ts';
import {
  expirePayment,
  findPayment,
  findPaymentOfProvider,
  insertPayment,
  lockPayment,
  type PaymentRow,
  recordAnswer,
  recordSettled,
} from '../store/payments.ts';
import type { Book } from './book.ts';
import { contradictionOf } from './contradiction.ts';
import type { Findings } from './findings.ts';
import { nextCheckMs, stateOf } from './payment-state.ts';

export interface SynchronizeOptions {
  pool: Pool;
  provider: Provider;
  book: Book;
  findings: Findings;
  logger: Logger;
  installationId: () => string;
  now: () => number;
}

/** Makes the ledger agree with what the provider says of a payment. @returns how many movements were booked by this call */
export type Synchronize = (ref: PaymentRef) => Promise<number>;

/** How often the provider is asked again because another replica recorded its answer in between. */
const MAX_ATTEMPTS = 5;

/** In case this process ends before the ledger has booked what was decided. */
const UNBOOKED_CHECK_MS = 60_000;

interface PaymentId {
  accountId: string;
  paymentId: string;
}

/** What was recorded of an answer; `stale`: a newer one may have been, so the provider must be asked again. */
type Recorded = 'stale' | 'nothing' | PaymentRow;

/** Creates the one function in which everything that is heard of a payment ends. */
export function createSynchronize(options: SynchronizeOptions): Synchronize {
  const { pool, provider } = options;
  return async (ref) => {
    let id: PaymentId | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const before =
        id === undefined ? await findPaymentOfProvider(pool, ref) : await findPayment(pool, id.accountId, id.paymentId);
      const fetched = await provider.fetch(withKnownIds(ref, before));
      if (fetched === undefined) {
        if (before !== undefined) await endUnknown(options, before);
        return 0;
      }
      const origin = originOf(options, fetched, before);
      if (origin === undefined) return 0;
      id = { accountId: origin.accountId.toLowerCase(), paymentId: origin.paymentId.toLowerCase() };
      const recorded = await inTransaction(pool, (client) => record(options, client, { origin, before, fetched }));
      if (recorded === 'stale') continue;
      return recorded === 'nothing' ? 0 : bookMovements(options, recorded, fetched.payment);
    }
    throw new RpcError('aborted', 'the payment changes too often');
  };
}

/** A page that the provider does not know, or no more, cannot be paid any longer than its time. */
async function endUnknown({ pool, findings, now }: SynchronizeOptions, row: PaymentRow): Promise<void> {
  findings.report('unknown_to_provider', idsOf(row));
  await expirePayment(pool, row, now() - OPEN_MS);
}

function idsOf({ account_id, payment_id, provider_payment, checkout_id }: PaymentRow) {
  return { account_id, payment_id, provider_payment, checkout_id };
}

/** The page is asked for only until it is known how it ended. */
function withKnownIds(ref: PaymentRef, row: PaymentRow | undefined): PaymentRef {
  if (row === undefined) return ref;
  const providerPayment = ref.providerPayment ?? row.provider_payment ?? undefined;
  const isEnded = row.state === 'settled' && providerPayment !== undefined;
  return { providerPayment, checkoutId: isEnded ? undefined : (row.checkout_id ?? ref.checkoutId) };
}

/** Which of our payments it is; undefined if it is not ours, or cannot be read. */
function originOf(
  { installationId, findings }: SynchronizeOptions,
  { checkout, payment }: Fetched,
  row: PaymentRow | undefined,
): Origin | undefined {
  const origin = payment?.origin ?? checkout?.origin;
  const details = { provider_payment: payment?.id, checkout_id: checkout?.id, ...(row && idsOf(row)) };
  if (origin === 'malformed') findings.report('malformed_metadata', details);
  else if (origin?.installationId === installationId()) return origin;
  else if (row !== undefined) findings.report('metadata', details);
  return undefined;
}

interface Answer {
  origin: Origin;
  /** The row before the provider was asked. */
  before: PaymentRow | undefined;
  fetched: Fetched;
}

async function record(
  { provider, findings, now }: SynchronizeOptions,
  client: PoolClient,
  { origin, before, fetched }: Answer,
): Promise<Recorded> {
  const { payment, checkout } = fetched;
  const row = await lockOrRestore(client, origin, fetched, now());
  if (row === undefined) return 'nothing';
  // An older answer must not be recorded after a newer one.
  if (row.version !== (before?.version ?? 0n)) return 'stale';
  const contradiction = payment === undefined ? undefined : contradictionOf(row, payment, origin);
  if (contradiction !== undefined) {
    findings.report(contradiction, { ...idsOf(row), found: payment?.id });
    return 'nothing';
  }
  let isComplete = true;
  if (payment !== undefined) {
    const known = await movementsOf(client, row.account_id, [row.payment_id]);
    const { movements, conflicts } = planMovements(provider.name, row.amount_nanos, payment, known);
    for (const key of conflicts) findings.report('taken_again', { ...idsOf(row), movement: key });
    for (const movement of movements) await insertMovement(client, row.account_id, row.payment_id, movement);
    isComplete = movements.length === 0 && known.every(({ bookedAtMs }) => bookedAtMs !== undefined);
  }
  const state = stateOf(row.state, fetched);
  const next = isComplete ? nextCheckMs({ ...row, state }, payment, now()) : now() + UNBOOKED_CHECK_MS;
  await recordAnswer(client, row, {
    state,
    providerPayment: payment?.id,
    checkoutId: checkout?.id,
    method: payment?.method,
    failure: payment?.failure,
    hasOpenDispute: payment?.disputes.some(({ open, withdrawn }) => open && withdrawn),
    nextCheckMs: next,
  });
  if (payment !== undefined) {
    const counting = payment.failedCards.filter(({ failedAtMs }) => failedAtMs > now() - FAILED_CARDS_MS);
    await insertFailedCards(client, row, counting);
  }
  return { ...row, state, provider_payment: payment?.id ?? row.provider_payment, version: row.version + 1n };
}

/** A payment of which money arrived is ours by its metadata, although its row is lost: a restored backup was older. */
async function lockOrRestore(
  client: PoolClient,
  { accountId, paymentId, creditNanos, crossing }: Origin,
  { payment }: Fetched,
  nowMs: number,
): Promise<PaymentRow | undefined> {
  const row = await lockPayment(client, accountId, paymentId);
  if (row !== undefined || (payment?.state !== 'succeeded' && payment?.state !== 'processing')) return row;
  await insertPayment(client, {
    accountId,
    paymentId,
    idempotencyKey: undefined,
    amountNanos: creditNanos,
    saveMethod: false,
    createdBy: '',
    crossing,
    createdById: '',
    clientNetwork: undefined,
    createdAtMs: nowMs,
    nextCheckMs: nowMs + UNBOOKED_CHECK_MS,
  });
  return lockPayment(client, accountId, paymentId);
}

/** Books what is not booked, in order: a payment first, then what takes of it. */
async function bookMovements(
  options: SynchronizeOptions,
  row: PaymentRow,
  payment: PaymentSnapshot | undefined,
): Promise<number> {
  const { pool, provider, now } = options;
  if (payment?.state !== 'succeeded') return 0;
  const movements = await movementsOf(pool, row.account_id, [row.payment_id]);
  const atProvider = new Set(payment.refunds.map((refund) => keys.refund(provider.name, refund)));
  let booked = 0;
  for (const movement of movements) {
    const isWaiting = movement.refuseShortfall && !atProvider.has(movement.key);
    // A refund that was begun here takes its credit by itself, before the provider knows of it.
    if (movement.bookedAtMs !== undefined || isWaiting) continue;
    if (await bookOne(options, row, movement)) booked += 1;
  }
  const deposit = keys.deposit(provider.name, payment.id);
  const isSettled = (await movementsOf(pool, row.account_id, [row.payment_id])).some(
    ({ key, bookedAtMs }) => key === deposit && bookedAtMs !== undefined,
  );
  if (isSettled) {
    const settled = { ...row, state: 'settled' as const };
    await recordSettled(pool, row, { nowMs: now(), nextCheckMs: nextCheckMs(settled, payment, now()) });
  }
  return booked;
}

/** Books a movement; false if it was booked before, or cannot be. */
async function bookOne(options: SynchronizeOptions, row: PaymentRow, movement: RecordedMovement): Promise<boolean> {
  const { pool, book, findings, logger, now, provider } = options;
  const isDeposit = movement.kind === 'deposit' && movement.providerId === row.provider_payment;
  const createdBy = isDeposit && row.created_by !== '' ? row.created_by : provider.name;
  const paymentKey = keys.deposit(provider.name, row.provider_payment ?? '');
  const booking = await book(row.account_id, movement, { createdBy, paymentKey });
  const details = { ...idsOf(row), movement: movement.key, amount_nanos: movement.amountNanos.toString() };
  switch (booking) {
    case 'booked':
      if (!(await recordBooked(pool, row.account_id, movement.key, now()))) return false;
      logger.info(details, 'a payment was booked');
      return true;
    case 'different':
      // What the ledger has stands.
      findings.report('booked_differently', details);
      await recordBooked(pool, row.account_id, movement.key, now());
      return false;
    case 'short':
    case 'refused':
      findings.report('refused_by_ledger', details);
      return false;
    default:
      return booking satisfies never;
  }
}
