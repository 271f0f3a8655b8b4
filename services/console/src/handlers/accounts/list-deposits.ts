import { unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';
import { MAX_DAYS, oldRange, readRange } from '../../paging/time-range.ts';
import { renderDeposit } from '../../render/deposit.ts';
import { textOrNull } from '../../render/time.ts';

/** Top-ups and adjustments, newest first. */
export function createListDepositsHandler({
  ledger,
}: {
  ledger: LedgerServiceClient;
}): Handler<'GET /accounts/{account_id}/deposits'> {
  return async ({ path, query, rpc }) => {
    const request = {
      accountId: path.account_id,
      ...readRange(oldRange(query), MAX_DAYS.others),
      limit: query.limit,
      cursor: query.cursor ?? '',
    };
    const { deposits, nextCursor } = await unaryCall(ledger.listDeposits.bind(ledger), request, await rpc());
    return { data: deposits.map(renderDeposit), next_cursor: textOrNull(nextCursor) };
  };
}
