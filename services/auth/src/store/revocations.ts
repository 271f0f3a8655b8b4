import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { Revocation } from '@tollgate/proto/auth';
import { valuesOf } from './keys.ts';

/** The Postgres channel on which every replica hears of each committed revocation. */
export const REVOCATIONS_CHANNEL = 'auth_revocations';

/** A change that is sent to every ingress. */
export type RevocationToInsert =
  /** A deleted key, with its current value; its row has the previous one. */
  | { kind: 'deletion'; keyId: string; sha256: Buffer }
  /** An older value of a key, which is dead. */
  | { kind: 'value'; keyId: string; sha256: Buffer }
  /** A changed key or account: records of earlier revisions are stale. */
  | { kind: 'key'; keyId: string; revision: bigint }
  | { kind: 'account'; accountId: string; revision: bigint };

/**
 * Records a change for all ingresses. Called last in the transaction that makes the change.
 *
 * The number comes from one row, which stays locked until the commit, so that numbers become visible in order: a reader
 * cannot see a number and miss a smaller one that commits later. It also follows the clock, so that a database restored
 * from a backup does not repeat a number that an ingress has already applied.
 *
 * @returns the revocation's sequence number
 */
export async function insertRevocation(db: Queryable, what: RevocationToInsert): Promise<bigint> {
  const { rows } = await db.query<{ sequence: bigint }>(
    `WITH clock AS (
       UPDATE auth.revocation_clock
       SET sequence = greatest(sequence + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
       RETURNING sequence
     )
     INSERT INTO auth.revocations (sequence, key_id, changed_key_id, account_id, key_sha256, revision, revoked_at)
     SELECT sequence, $1, $2, $3, $4, $5, clock_timestamp() FROM clock
     RETURNING sequence, pg_notify($6, '')`,
    [...columnsOf(what), REVOCATIONS_CHANNEL],
  );
  return onlyRow(rows, 'the revocation clock has no row').sequence;
}

const NO_VALUE = Buffer.alloc(0);

/** In the order key_id, changed_key_id, account_id, key_sha256, revision. */
function columnsOf(what: RevocationToInsert): unknown[] {
  switch (what.kind) {
    case 'deletion':
      return [what.keyId, null, null, what.sha256, null];
    case 'value':
      return [null, what.keyId, null, what.sha256, null];
    case 'key':
      return [null, what.keyId, null, NO_VALUE, what.revision];
    case 'account':
      return [null, null, what.accountId, NO_VALUE, what.revision];
    default:
      return what satisfies never;
  }
}

/**
 * The sequence number of the last revocation of a key or an account, by its id; undefined once all are so old that no
 * older cached record is valid.
 */
export async function findRevocation(db: Queryable, id: string): Promise<bigint | undefined> {
  const { rows } = await db.query<{ sequence: bigint | null }>(
    `SELECT max(sequence) AS sequence FROM auth.revocations
     WHERE key_id = $1 OR changed_key_id = $1 OR account_id = $1`,
    [id],
  );
  return rows[0]?.sequence ?? undefined;
}

/** The sequence number of the last committed revocation; 0 before the first. */
export async function lastSequence(db: Queryable): Promise<bigint> {
  const { rows } = await db.query<{ sequence: bigint }>({
    name: 'last-sequence',
    text: 'SELECT sequence FROM auth.revocation_clock',
  });
  return rows[0]?.sequence ?? 0n;
}

/** A row of auth.revocations, of one of its four kinds. */
interface RevocationRow {
  sequence: bigint;
  changed_key_id: string | null;
  account_id: string | null;
  /** Empty if there is a revision. */
  key_sha256: Buffer;
  revision: bigint | null;
  revoked_at: Date;
  /** Of a deleted key: the value before its last rotation, which is dead too. */
  previous_sha256: Buffer | null;
  /** Of a key with a dead value: its id and account. */
  dead_key_id: string | null;
  dead_account_id: string | null;
}

/** Revocations after a sequence number, oldest first, of at most `limit` numbers. A deletion is one for each value. */
export async function listRevocations(db: Queryable, after: bigint, limit: number): Promise<Revocation[]> {
  const { rows } = await db.query<RevocationRow>({
    name: 'list-revocations',
    // The row of a deletion has the current value of the key; the value before the last rotation is dead too.
    text: `SELECT r.sequence, r.changed_key_id, r.account_id, r.key_sha256, r.revision, r.revoked_at,
             CASE WHEN r.key_id IS NOT NULL THEN k.previous_sha256 END AS previous_sha256,
             k.key_id AS dead_key_id, k.account_id AS dead_account_id
           FROM auth.revocations r
           LEFT JOIN auth.keys k ON r.revision IS NULL AND k.key_id = coalesce(r.key_id, r.changed_key_id)
           WHERE r.sequence > $1 ORDER BY r.sequence LIMIT $2`,
    values: [after, limit],
  });
  return rows.flatMap((row) => {
    const common = {
      sequence: row.sequence,
      revokedAtMs: BigInt(row.revoked_at.getTime()),
      deadKeyId: row.dead_key_id ?? '',
      deadAccountId: row.dead_account_id ?? '',
    };
    return whatOf(row).map((what) => ({ ...common, what }));
  });
}

function whatOf(row: RevocationRow): Revocation['what'][] {
  const { changed_key_id: keyId, account_id: accountId, revision } = row;
  if (revision === null) return valuesOf(row).map((value) => ({ $case: 'deadKeySha256', value }));
  if (keyId !== null) return [{ $case: 'key', value: { keyId, revision } }];
  if (accountId !== null) return [{ $case: 'account', value: { accountId, revision } }];
  throw new Error('a revocation is of no kind');
}

/** Removes revocations up to a sequence number, except those that are younger than `ageMs` by the database's clock. */
export async function removeRevocations(db: Queryable, upTo: bigint, ageMs: number): Promise<void> {
  await db.query(
    `DELETE FROM auth.revocations
     WHERE sequence <= $1 AND revoked_at < clock_timestamp() - $2 * interval '1 millisecond'`,
    [upTo, ageMs],
  );
}
