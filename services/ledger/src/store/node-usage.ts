import type { Statement } from '@tollgate/common/postgres/pipeline';
import { arrayText } from './batch.ts';

/** What a batch charges to keys below a node above keys, on a day. */
export interface NodeSum {
  accountId: string;
  nodeId: string;
  /** Start of the day (UTC), Unix milliseconds. */
  dayMs: number;
  chargedNanos: bigint;
}

/** Adds sums to the usage of nodes. The accounts' balances must be locked. */
export function addNodeUsage(sums: readonly NodeSum[]): Statement<void> {
  return {
    name: 'add-node-usage',
    text: `
      INSERT INTO ledger.node_usage AS u (account_id, node_id, day_ms, charged_nanos)
      SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[])
      ON CONFLICT (account_id, node_id, day_ms) DO UPDATE SET charged_nanos = u.charged_nanos + excluded.charged_nanos`,
    values: [
      arrayText(sums.map((sum) => sum.accountId)),
      arrayText(sums.map((sum) => sum.nodeId)),
      arrayText(sums.map((sum) => sum.dayMs)),
      arrayText(sums.map((sum) => sum.chargedNanos)),
    ],
    read: () => undefined,
  };
}
