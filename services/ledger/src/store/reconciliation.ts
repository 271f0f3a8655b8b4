import type { Queryable } from '@tollgate/common/postgres/pool';

export interface ReconciliationStatus {
  /** All entries up to this time are reconciled, Unix milliseconds; 0 before the first run. */
  untilMs: number;
  /** Number of open findings. */
  findings: number;
}

/** The progress of reconciliation, over all replicas and programs. */
export async function readReconciliationStatus(db: Queryable): Promise<ReconciliationStatus> {
  const { rows } = await db.query<{ until_ms: bigint; findings: bigint }>({
    name: 'read-standing',
    text: 'SELECT until_ms, (SELECT count(*) FROM ledger.findings) AS findings FROM ledger.reconciliation',
  });
  const [row] = rows;
  return { untilMs: Number(row?.until_ms ?? 0), findings: Number(row?.findings ?? 0) };
}

/** Saves the time span of the next step. */
export async function saveSlice(db: Queryable, sliceMs: number): Promise<void> {
  await db.query({
    name: 'save-slice',
    text: 'UPDATE ledger.reconciliation SET slice_ms = $1',
    values: [sliceMs],
  });
}

/** Saves where a scan over all accounts continues. */
export async function saveScan(db: Queryable, scan: 'background' | 'full', after: string): Promise<void> {
  await db.query({
    name: `save-scan-${scan}`,
    text: `UPDATE ledger.reconciliation SET ${scan}_after = $1`,
    values: [after],
  });
}

/** Claims the scheduled reconciliation, unless another replica did so less than `everyMs` ago. */
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
