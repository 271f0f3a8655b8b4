import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import { apiErrors } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { renderRange } from '../../paging/time-range.ts';
import { renderUsageRow } from '../../render/usage.ts';
import { INTERVALS, readUsageRange } from '../../usage/intervals.ts';

const GROUPS = ['model', 'key'] as const;

/** Requests, tokens and cost by interval and group. */
export function createGetUsageHandler({
  ledger,
}: {
  ledger: LedgerServiceClient;
}): Handler<'GET /accounts/{account_id}/usage'> {
  return async ({ path, query, rpc }) => {
    const groups = readGroups(query.group_by);
    const range = readUsageRange(query);
    const request = {
      accountId: path.account_id,
      ...range,
      interval: INTERVALS[query.interval],
      groupByModel: groups.has('model'),
      groupByKey: groups.has('key'),
      keyIds: query.key_id === undefined ? [] : [query.key_id],
    };
    const { rows } = await unaryCall(ledger.getUsage.bind(ledger), request, await rpc());
    return { range: renderRange(range), data: rows.map(renderUsageRow) };
  };
}

function readGroups(groupBy: string | undefined): ReadonlySet<(typeof GROUPS)[number]> {
  const names = groupBy === undefined || groupBy === '' ? [] : groupBy.split(',');
  return new Set(
    names.map((name) => {
      const known = GROUPS.find((group) => group === name.trim());
      if (known === undefined) throw apiErrors.invalid('group_by', 'must be comma-separated: model, key');
      return known;
    }),
  );
}
