import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { UsageSum } from '../settle/sum-usage.ts';
import { USAGE_BUCKETS } from '../settle/usage-buckets.ts';
import { arrayText } from './array-text.ts';

export type RollUp = 'usage_hourly' | 'usage_daily';

const SUMS = ['requests', 'charged_nanos', 'cost_nanos', ...USAGE_BUCKETS];
const NAMES = ['account_id', 'start_ms', 'key_id', 'model', ...SUMS].join(', ');
const ARRAYS = ['uuid', 'bigint', 'uuid', 'text', ...SUMS.map(() => 'bigint')]
  .map((type, index) => `$${index + 1}::${type}[]`)
  .join(', ');
const ADDED = SUMS.map((name) => `${name} = u.${name} + excluded.${name}`).join(', ');

/** Adds sums to a roll-up. The accounts' balances must be locked. */
export async function addUsage(client: PoolClient, rollUp: RollUp, sums: readonly UsageSum[]): Promise<void> {
  await client.query({
    name: `add-${rollUp}`,
    text: `
      INSERT INTO ledger.${rollUp} AS u (${NAMES})
      SELECT ${NAMES} FROM unnest(${ARRAYS}) AS added (${NAMES})
      ON CONFLICT (account_id, start_ms, key_id, model) DO UPDATE SET ${ADDED}`,
    values: [
      arrayText(sums.map((sum) => sum.accountId)),
      arrayText(sums.map((sum) => sum.startMs)),
      arrayText(sums.map((sum) => sum.keyId)),
      sums.map((sum) => sum.model),
      arrayText(sums.map((sum) => sum.requests)),
      arrayText(sums.map((sum) => sum.chargedNanos)),
      arrayText(sums.map((sum) => sum.costNanos)),
      ...USAGE_BUCKETS.map((_, index) => arrayText(sums.map((sum) => sum.quantities[index] ?? 0n))),
    ],
  });
}
