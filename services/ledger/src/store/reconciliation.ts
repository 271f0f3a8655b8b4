import type { Queryable } from '@tollgate/common/postgres/pool';

export interface ReconciliationStatus {
  /** Every entry up to this time is proven, Unix milliseconds; 0 before the first check. */
  untilMs: number;
  /** Rows that are found wrong and not found right since. */
  findings: number;
}

/** How far reconciliation has come, by whichever replica and program. */
export async function readReconciliationStatus(db: Queryable): Promise<ReconciliationStatus> {
  const { rows } = await db.query<{ until_ms: bigint; findings: bigint }>({
    name: 'read-standing',
    text: 'SELECT until_ms, (SELECT count(*) FROM ledger.findings) AS findings FROM ledger.reconciliation',
  });
  const [row] = rows;
  return { untilMs: Number(row?.until_ms ?? 0), findings: Number(row?.findings ?? 0) };
}

/** Keeps how much time the next step takes in. */
export async function saveSlice(db: Queryable, sliceMs: number): Promise<void> {
  await db.query({
    name: 'save-slice',
    text: 'UPDATE ledger.reconciliation SET slice_ms = $1',
    values: [sliceMs],
  });
}

/** Keeps where a walk over all accounts goes on. */
export async function saveScan(db: Queryable, walk: 'patrol' | 'full', after: string): Promise<void> {
  await db.query({
    name: `save-walk-${walk}`,
    text: `UPDATE ledger.reconciliation SET ${walk}_after = $1`,
    values: [after],
  });
}

/** Takes the scheduled check upon oneself, unless another replica did so less than `everyMs` ago. */
export async function claimCheck(db: Queryable, everyMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'claim-check',
    text: `
      UPDATE ledger.reconciliation SET claimed_at = clock_timestamp()
      WHERE claimed_at IS NULL
        OR claimed_at NOT BETWEEN clock_timestamp() - $1 * interval '1 millisecond' AND clock_timestamp()`,
    values: [everyMs],
  });
  return rowCount === 1;
}
