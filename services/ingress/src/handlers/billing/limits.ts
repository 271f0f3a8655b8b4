import {
  CAP_PERIOD_OF_LABEL,
  CAP_PERIODS,
  cappedPeriods,
  capStanding,
  limitInWindow,
  periodStart,
} from '@tollgate/common/cap-periods';
import { unaryCall } from '@tollgate/common/grpc/client';
import { SESSION_REVISION } from '@tollgate/common/keys/index';
import { atLeastZero, formatDollars, minBigInt } from '@tollgate/common/money';
import { type Balance, CapPeriod, type CapUsage } from '@tollgate/proto/ledger';
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

/**
 * GET /v1/billing/limits: every ceiling that a request of this key must fit under, the account's balance first, then the caps of its
 * project, owner and key, and last the session that it names.
 */
export function createBillingLimitsHandler(deps: BalanceSources) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    rejectUnknownParameters(req.query, []);
    const key = keyOf(res.locals.context);
    const [balance, used] = await Promise.all([readBalance(deps, key.accountId), readUsed(deps, key)]);
    sendJson(res, { data: listLimits(key, balance, used, Date.now()), next_cursor: null });
  };
}

async function readUsed({ ledger }: BalanceSources, key: AuthenticatedKey): Promise<readonly CapUsage[]> {
  const nodes = cappedPeriods(nodesOf(key));
  if (key.session !== undefined) nodes.push({ nodeId: key.session.nodeId, periods: [CapPeriod.SESSION] });
  if (nodes.length === 0) return [];
  const request = { accountId: key.accountId, nodes };
  const call = unaryCall(ledger.getCapUsage.bind(ledger), request, { deadlineMs: LEDGER_DEADLINE_MS });
  return (await callLedger('limits', call)).caps;
}

/** The nodes of a key's path, the key last. */
function nodesOf({ keyId, caps, grants, nodes }: Pick<AuthenticatedKey, 'keyId' | 'caps' | 'grants' | 'nodes'>) {
  return [...nodes, { nodeId: keyId, caps, grants }];
}

/** @param used what is spent and held of the caps */
export function listLimits(
  key: CeilingOwner & Pick<AuthenticatedKey, 'caps' | 'grants' | 'nodes' | 'session'>,
  { balanceNanos, heldNanos }: Pick<Balance, 'balanceNanos' | 'heldNanos'>,
  used: readonly CapUsage[],
  nowMs: number,
): object[] {
  const balance: CeilingStatus = { window: null, leftNanos: balanceNanos, heldNanos };
  const caps = nodesOf(key).flatMap((node) =>
    CAP_PERIODS.flatMap((window) => {
      const { nodeId } = node;
      const period = CAP_PERIOD_OF_LABEL[window];
      const usage = used.find((each) => each.nodeId === nodeId && each.period === period);
      const startMs = usage === undefined ? periodStart(window, nowMs) : Number(usage.periodStartMs);
      const limitNanos = limitInWindow(node, window, startMs);
      if (limitNanos === undefined) return [];
      return [{ nodeId, window, ...capStanding(window, limitNanos, usage, nowMs) }];
    }),
  );
  return [balance, ...caps, ...sessionStatus(key, used, nowMs)].map((ceiling) => renderLimit(ceiling, key));
}

/** The ceiling of the session that the request names, if it has one. The lowest limit that it ever had counts, or what was granted. */
function sessionStatus(
  { session }: Pick<AuthenticatedKey, 'session'>,
  used: readonly CapUsage[],
  nowMs: number,
): CapStatus[] {
  if (session === undefined) return [];
  const { nodeId, limitNanos: own, revision } = session;
  const usage = used.find((each) => each.nodeId === nodeId);
  const isOwn = revision > SESSION_REVISION || usage === undefined || usage.limitNanos === 0n;
  const limitNanos = isOwn ? own : minBigInt(usage.limitNanos, own);
  return [{ nodeId, window: 'session', ...capStanding('session', limitNanos, usage, nowMs) }];
}

/** What is `left` is neither spent nor held. */
function renderLimit(ceiling: CeilingStatus, owner: CeilingOwner): object {
  const { resets_at, currency, ...rest } = renderCeiling(ceiling, owner);
  const left = rest.amount === null ? null : formatDollars(atLeastZero(ceiling.leftNanos - ceiling.heldNanos));
  return { ...rest, left, resets_at, currency };
}
