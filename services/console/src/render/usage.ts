import { formatDollars } from '@tollgate/common/money';
import type { UsageRow } from '@tollgate/proto/ledger';
import { sumTokens } from './request.ts';
import { renderTime, textOrNull } from './time.ts';

/** Requests, tokens and cost of one interval and group. */
export function renderUsageRow(row: UsageRow) {
  return {
    start: renderTime(row.startMs),
    model: textOrNull(row.model),
    key_id: textOrNull(row.keyId),
    requests: Number(row.requests),
    tokens: sumTokens(row.usage),
    cost: formatDollars(row.costNanos),
  };
}
