import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Movement, MovementKind } from '../movements/plan-movements.ts';

/** A movement as it was recorded. */
export interface RecordedMovement extends Movement {
  accountId: string;
  paymentId: string;
  /** Undefined: the ledger has not confirmed it yet. */
  bookedAtMs: bigint | undefined;
}

interface MovementRow {
  account_id: string;
  payment_id: string;
  movement_key: string;
  kind: MovementKind;
  amount_nanos: bigint;
  reason: string;
  refuse_shortfall: boolean;
  provider_id: string | null;
  provider_cents: bigint;
  booked_at_ms: bigint | null;
}

const COLUMNS = `account_id::text, payment_id::text, movement_key, kind, amount_nanos, reason, refuse_shortfall, provider_id,
  provider_cents, booked_at_ms`;

function fromRow(row: MovementRow): RecordedMovement {
  return {
    accountId: row.account_id,
    paymentId: row.payment_id,
    key: row.movement_key,
    kind: row.kind,
    amountNanos: row.amount_nanos,
    reason: row.reason,
    refuseShortfall: row.refuse_shortfall,
    providerId: row.provider_id ?? undefined,
    providerCents: row.provider_cents,
    bookedAtMs: row.booked_at_ms ?? undefined,
  };
}

/** Records a movement, unless its key is known. The payment must be locked. */
export async function insertMovement(
  db: Queryable,
  accountId: string,
  paymentId: string,
  movement: Movement,
): Promise<void> {
  await db.query({
    name: 'insert-movement',
    text: `
      INSERT INTO payments.movements
        (account_id, payment_id, movement_key, kind, amount_nanos, reason, refuse_shortfall, provider_id, provider_cents)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (account_id, movement_key) DO NOTHING`,
    values: [
      accountId,
      paymentId,
      movement.key,
      movement.kind,
      movement.amountNanos,
      movement.reason,
      movement.refuseShortfall,
      movement.providerId,
      movement.providerCents,
    ],
  });
}

/** The movements of some of an account's payments, in the order in which they were decided. */
export async function movementsOf(
  db: Queryable,
  accountId: string,
  paymentIds: readonly string[],
): Promise<RecordedMovement[]> {
  const { rows } = await db.query<MovementRow>({
    name: 'movements-of-payments',
    text: `SELECT ${COLUMNS} FROM payments.movements WHERE account_id = $1 AND payment_id = ANY($2::uuid[])
           ORDER BY position`,
    values: [accountId, paymentIds],
  });
  return rows.map(fromRow);
}

/** The movements that objects of the provider caused, in all accounts. */
export async function movementsOfProvider(db: Queryable, providerIds: readonly string[]): Promise<RecordedMovement[]> {
  const { rows } = await db.query<MovementRow>({
    name: 'movements-of-provider',
    text: `SELECT ${COLUMNS} FROM payments.movements WHERE provider_id = ANY($1)`,
    values: [providerIds],
  });
  return rows.map(fromRow);
}

/** Records that the ledger has committed a movement; false if that was recorded before. */
export async function recordBooked(db: Queryable, accountId: string, key: string, nowMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'record-booked',
    text: `UPDATE payments.movements SET booked_at_ms = $3
           WHERE account_id = $1 AND movement_key = $2 AND booked_at_ms IS NULL`,
    values: [accountId, key, nowMs],
  });
  return rowCount === 1;
}

/** Records what a refund that was begun here is called at the provider. */
export async function recordProviderId(
  db: Queryable,
  accountId: string,
  key: string,
  providerId: string,
): Promise<void> {
  await db.query({
    name: 'record-provider-id',
    text: `UPDATE payments.movements SET provider_id = $3
           WHERE account_id = $1 AND movement_key = $2 AND provider_id IS NULL`,
    values: [accountId, key, providerId],
  });
}

/** Removes a movement that the ledger refused. */
export async function removeUnbooked(db: Queryable, accountId: string, key: string): Promise<void> {
  await db.query({
    name: 'remove-unbooked-movement',
    text: `DELETE FROM payments.movements WHERE account_id = $1 AND movement_key = $2 AND booked_at_ms IS NULL`,
    values: [accountId, key],
  });
}
