import type { Queryable } from '@tollgate/common/postgres/pool';

export interface Standing {
  /** Every entry up to this time is proven, Unix milliseconds; 0 before the first check. */
  untilMs: number;
  /** Rows that are found wrong and not found right since. */
  findings: number;
}

/** How far reconciliation has come, by whichever replica and program. */
export async function readStanding(db: Queryable): Promise<Standing> {
  const { rows } = await db.query<{ until_ms: bigint; findings: bigint }>({
    name: 'read-standing',
    text: 'SELECT until_ms, (SELECT count(*) FROM ledger.findings) AS findings FROM ledger.reconciliation',
  });
  const [row] = rows;
  return { untilMs: Number(row?.until_ms ?? 0), findings: Number(row?.findings ?? 0) };
}
