import { renderBalance } from '@tollgate/common/billing/balance';
import { renderDeposit } from '@tollgate/common/billing/deposit';
import { unaryCall } from '@tollgate/common/grpc/client';
import { minBigInt } from '@tollgate/common/money';
import type { Balance, LedgerServiceClient } from '@tollgate/proto/ledger';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { isDerived } from '../../shared/limits/ceilings.ts';
import {
  type AuthenticatedKey,
  keyOf,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import type { Wallet } from '../../wallet/index.ts';
import { callLedger, LEDGER_DEADLINE_MS } from './ledger-calls.ts';
import { parsePage, rejectUnknownParameters } from './query.ts';
import { parseTimeRange, RANGES } from './time-range.ts';

export interface BalanceSources {
  ledger: LedgerServiceClient;
  wallet: Wallet;
}

/** GET /v1/billing/balance: the account's balance, what open requests hold of it, and what is left. */
export function createBillingBalanceHandler(deps: BalanceSources) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, []);
    const { accountId } = requireOwnKey(res);
    sendJson(res, renderBalance(await readBalance(deps, accountId)));
  };
}

/** The key of a request that asks what the account has. @throws ApiError (404) for a derived key */
function requireOwnKey(res: TollgateResponse): AuthenticatedKey {
  const key = keyOf(res.locals.context);
  if (isDerived(key)) throw apiErrors.notForDerivedKeys();
  return key;
}

/** The account's balance, of which at least what this ingress holds is held. */
export async function readBalance({ ledger, wallet }: BalanceSources, accountId: string): Promise<Balance> {
  const call = unaryCall(ledger.getBalance.bind(ledger), { accountId }, { deadlineMs: LEDGER_DEADLINE_MS });
  return withHeldHere(await callLedger('balance', call), wallet.heldNanos(accountId));
}

/** The ledger learns of holds seconds later, so what this ingress holds is at least held. */
function withHeldHere(balance: Balance, heldHere: bigint): Balance {
  if (heldHere <= balance.heldNanos) return balance;
  const heldNanos = minBigInt(heldHere, balance.balanceNanos);
  return { ...balance, heldNanos, availableNanos: balance.balanceNanos - heldNanos };
}

/** GET /v1/billing/deposits: top-ups and adjustments of a time range, newest first. */
export function createBillingDepositsHandler({ ledger }: { ledger: LedgerServiceClient }) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, ['start', 'end', 'limit', 'cursor']);
    const { accountId } = requireOwnKey(res);
    const range = parseTimeRange(req.query, RANGES.deposits);
    const { limit, cursor, nextCursor } = parsePage(req.query, ['deposits', accountId]);
    const page = await callLedger(
      'deposit',
      unaryCall(
        ledger.listDeposits.bind(ledger),
        { accountId, ...range, limit, cursor },
        { deadlineMs: LEDGER_DEADLINE_MS },
      ),
    );
    sendJson(res, { data: page.deposits.map(renderDeposit), next_cursor: nextCursor(page.nextCursor) });
  };
}
