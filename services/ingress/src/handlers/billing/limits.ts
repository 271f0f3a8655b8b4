import { readCapUsage } from '@tollgate/common/billing/cap-usage';
import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  type CapPeriodLabel,
  capLimit,
  periodStart,
} from '@tollgate/common/cap-periods';
import { atLeastZero, formatDollars } from '@tollgate/common/money';
import type { Balance, CapUsage } from '@tollgate/proto/ledger';
import { type CapStatus, type CeilingOwner, type CeilingStatus, renderCeiling } from '../../shared/limits/ceilings.ts';
import {
  type AuthenticatedKey,
  keyOf,
  type TollgateRequest,
  type TollgateResponse,
} from '../../shared/request/request-context.ts';
import { sendJson } from '../../shared/request/response.ts';
import { type BalanceSources, readBalance } from './balance.ts';
import { callLedger, LEDGER_DEADLINE_MS } from './ledger-calls.ts';
import { rejectUnknownParameters } from './query.ts';

/** GET /v1/billing/limits: every ceiling that a request of this key must fit under, the account's balance first. */
export function createBillingLimitsHandler(deps: BalanceSources) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, []);
    const key = keyOf(res.locals.context);
    const [balance, used] = await Promise.all([readBalance(deps, key.accountId), readUsed(deps, key)]);
    sendJson(res, { data: listLimits(key, balance, used, Date.now()), next_cursor: null });
  };
}

async function readUsed({ ledger }: BalanceSources, key: AuthenticatedKey): Promise<readonly CapUsage[]> {
  if (key.caps === undefined) return [];
  return callLedger('limits', readCapUsage(ledger, key.accountId, [key], { deadlineMs: LEDGER_DEADLINE_MS }));
}

/** @param used what is spent and held of the key's caps */
export function listLimits(
  key: CeilingOwner & Pick<AuthenticatedKey, 'caps'>,
  { balanceNanos, heldNanos }: Pick<Balance, 'balanceNanos' | 'heldNanos'>,
  used: readonly CapUsage[],
  nowMs: number,
): object[] {
  const balance: CeilingStatus = { scope: 'account', window: null, leftNanos: balanceNanos, heldNanos };
  const caps = CAP_PERIODS.flatMap((period) => {
    const limitNanos = capLimit(key.caps, period);
    if (limitNanos === undefined) return [];
    return [
      capStatus(
        period,
        limitNanos,
        used.find((usage) => usage.period === CAP_PERIOD_OF_LABEL[period]),
        nowMs,
      ),
    ];
  });
  return [balance, ...caps].map((ceiling) => renderLimit(ceiling, key));
}

/** @param used undefined: nothing is spent */
function capStatus(window: CapPeriodLabel, limitNanos: bigint, used: CapUsage | undefined, nowMs: number): CapStatus {
  const { spentNanos = 0n, heldNanos = 0n } = used ?? {};
  const startMs = used === undefined ? periodStart(window, nowMs) : Number(used.periodStartMs);
  // A cap that was lowered may be less than what is spent.
  const leftNanos = atLeastZero(limitNanos - spentNanos);
  return { scope: 'key', window, startMs, limitNanos, spentNanos, leftNanos, heldNanos };
}

/** What is `left` is neither spent nor held. */
function renderLimit(ceiling: CeilingStatus, owner: CeilingOwner): object {
  const left = formatDollars(atLeastZero(ceiling.leftNanos - ceiling.heldNanos));
  const { resets_at, currency, ...rest } = renderCeiling(ceiling, owner);
  return { ...rest, left, resets_at, currency };
}
