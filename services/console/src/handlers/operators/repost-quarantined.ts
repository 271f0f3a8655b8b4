import { unaryCall } from '@tollgate/common/grpc/client';
import { formatDollars } from '@tollgate/common/money';
import { type LedgerServiceClient, SettleOutcome } from '@tollgate/proto/ledger';
import type { Handler } from '../../http/handler.ts';

/** Posts a quarantined charge again. */
export function createRepostQuarantinedHandler({
  ledger,
}: {
  ledger: LedgerServiceClient;
}): Handler<'POST /operator/quarantine/repost'> {
  return async ({ body, rpc }) => {
    const request = { accountId: body.account_id, requestId: body.request_id, contentHash: body.content_hash };
    const response = await unaryCall(ledger.repostQuarantined.bind(ledger), request, await rpc());
    return {
      outcome: outcomeOf(response.outcome),
      reason: response.reason,
      charged: formatDollars(response.chargedNanos),
    };
  };
}

function outcomeOf(outcome: SettleOutcome): 'posted' | 'duplicate' | 'loss' | 'quarantined' {
  switch (outcome) {
    case SettleOutcome.POSTED:
      return 'posted';
    case SettleOutcome.DUPLICATE:
      return 'duplicate';
    case SettleOutcome.LOSS:
      return 'loss';
    case SettleOutcome.QUARANTINED:
      return 'quarantined';
    case SettleOutcome.UNSPECIFIED:
      throw new Error('the ledger has returned no outcome');
    default:
      return outcome satisfies never;
  }
}
