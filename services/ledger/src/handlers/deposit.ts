import { RpcError } from '@tollgate/common/errors';
import { textArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { DepositRequest, DepositResponse } from '@tollgate/proto/ledger';
import type { LedgerConfig } from '../config.ts';
import { depositWithRecall } from '../deposits/deposit-with-recall.ts';
import type { Recalls } from '../recall/recalls.ts';
import { readBalance } from '../store/balances.ts';
import { depositKindLabel } from '../store/deposits.ts';
import { balanceMessage } from './get-balance.ts';

const MAX_KEY_LENGTH = 200;
const MAX_REASON_LENGTH = 500;

/** Credits or debits an account, once per idempotency key. */
export function createDepositHandler({
  config,
  pool,
  recalls,
}: {
  config: LedgerConfig;
  pool: Pool;
  recalls: Recalls;
}): UnaryHandler<DepositRequest, DepositResponse> {
  const context = { pool, recalls, sessionTtlMs: config.SESSION_TTL_MS };
  return async (request, call) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const idempotencyKey = textArgument('idempotency_key', request.idempotencyKey, MAX_KEY_LENGTH);
    const reason = textArgument('reason', request.reason, MAX_REASON_LENGTH);
    const kind = depositKindLabel(request.kind);
    if (kind === undefined) throw new RpcError('invalid_argument', 'kind: required');
    const { amountNanos } = request;
    if (amountNanos === 0n) throw new RpcError('invalid_argument', 'amount_nanos: must not be 0');
    if (kind === 'deposit' && amountNanos < 0n) {
      throw new RpcError('invalid_argument', 'amount_nanos: a deposit must be positive');
    }
    if (kind === 'dispute' && amountNanos > 0n) {
      throw new RpcError('invalid_argument', 'amount_nanos: a dispute must be negative');
    }
    const refuseShortfall = request.refuseShortfall === true;
    const input = { accountId, kind, amountNanos, idempotencyKey, reason, refuseShortfall, actor: actorOf(call) };
    const { deposit, repeated } = await depositWithRecall(context, input);
    return { deposit, repeated, balance: balanceMessage(accountId, await readBalance(pool, accountId)) };
  };
}
