import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { DepositRequest, DepositResponse } from '@tollgate/proto/ledger';
import { type DepositContext, depositWithRecall } from '../deposits/deposit-with-recall.ts';
import { depositKindLabel } from '../store/deposit-kind.ts';
import { readBalance } from '../store/read-balance.ts';
import { textArgument, uuidArgument } from './arguments.ts';
import { balanceMessage } from './balance-message.ts';

const LONGEST_KEY = 200;
const LONGEST_REASON = 500;

/** Credits or debits an account, once per idempotency key. */
export function depositHandler(context: DepositContext): UnaryHandler<DepositRequest, DepositResponse> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const idempotencyKey = textArgument('idempotency_key', request.idempotencyKey, LONGEST_KEY);
    const reason = textArgument('reason', request.reason, LONGEST_REASON);
    const kind = depositKindLabel(request.kind);
    if (kind === undefined) throw new RpcError('invalid_argument', 'kind: must be given');
    const { amountNanos } = request;
    if (amountNanos === 0n) throw new RpcError('invalid_argument', 'amount_nanos: must not be 0');
    if (kind === 'deposit' && amountNanos < 0n) {
      throw new RpcError('invalid_argument', 'amount_nanos: a deposit must be positive');
    }
    if (kind === 'dispute' && amountNanos > 0n) {
      throw new RpcError('invalid_argument', 'amount_nanos: a dispute must be negative');
    }
    const refuseShortfall = request.refuseShortfall === true;
    const input = { accountId, kind, amountNanos, idempotencyKey, reason, refuseShortfall };
    const { deposit, repeated } = await depositWithRecall(context, input);
    return { deposit, repeated, balance: balanceMessage(accountId, await readBalance(context.pool, accountId)) };
  };
}
