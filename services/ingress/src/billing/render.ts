import { CURRENCY } from '@tollgate/common/billing/currency';
import { formatDollars } from '@tollgate/common/money';
import type { UsageRow } from '@tollgate/proto/ledger';

/** Usage and cost of one interval and group. */
export function renderUsageRow(row: UsageRow, byModel: boolean, byKey: boolean): object {
  return {
    start: new Date(Number(row.startMs)).toISOString(),
    ...(byModel ? { model: row.model } : {}),
    ...(byKey ? { key_id: row.keyId } : {}),
    requests: Number(row.requests),
    usage: Object.fromEntries(row.usage.map((bucket) => [bucket.bucket, Number(bucket.quantity)])),
    cost: formatDollars(row.costNanos),
    currency: CURRENCY,
  };
}
