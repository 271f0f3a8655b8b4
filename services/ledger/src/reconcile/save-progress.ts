import type { Queryable } from '@tollgate/common/postgres/pool';

/** Keeps how much time the next step takes in. */
export async function saveSlice(db: Queryable, sliceMs: number): Promise<void> {
  await db.query({
    name: 'save-slice',
    text: 'UPDATE ledger.reconciliation SET slice_ms = $1',
    values: [sliceMs],
  });
}

/** Keeps where a walk over all accounts goes on. */
export async function saveWalk(db: Queryable, walk: 'patrol' | 'full', after: string): Promise<void> {
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
