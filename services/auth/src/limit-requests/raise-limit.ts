import { CAP_PERIODS } from '@tollgate/common/cap-periods';
import { RpcError } from '@tollgate/common/errors';
import { formatDollars } from '@tollgate/common/money';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { AppliedCap } from '@tollgate/proto/auth';
import { requireWithin } from '../derived/require-within.ts';
import type { CapColumns } from '../store/columns.ts';
import { findKeysAbove } from '../store/derived-keys.ts';
import { CAP_COLUMN, withGrants, withSessionGrant, withWindowGrant } from '../store/grants.ts';
import type { KeyAttributes, KeyRow } from '../store/keys.ts';
import type { LimitRequestRow } from '../store/limit-requests.ts';
import type { NodeRow } from '../store/nodes.ts';
import { capPeriodOf, capsOf } from './limited-node.ts';

/** What is granted. */
export interface WantedGrant {
  limitNanos: bigint;
  /** Until it is changed, and not only for its window. */
  always: boolean;
}

/** The attributes of a key or a node with the limit that is granted, and when that ends; undefined: never, or with a session. */
export interface RaisedLimit {
  attributes: Partial<Pick<KeyAttributes, keyof CapColumns | 'grants' | 'exceeds_defaults'>>;
  untilMs: number | undefined;
}

/** Raises the limit that a locked request is about. @param row the locked key or node that has it; of a session, its key */
export function raiseLimit(
  client: PoolClient,
  request: Pick<LimitRequestRow, 'period' | 'node_id'>,
  row: KeyRow | NodeRow,
  wanted: WantedGrant,
  nowMs: number,
): Promise<RaisedLimit> {
  if (request.period === 'session') return raiseSession(request, row, wanted, nowMs);
  return wanted.always ? raiseCap(client, request, row, wanted) : raiseWindow(request, row, wanted, nowMs);
}

async function raiseSession(
  { node_id: sessionNodeId }: Pick<LimitRequestRow, 'node_id'>,
  { grants }: Pick<KeyRow, 'grants'>,
  { always, limitNanos }: WantedGrant,
  nowMs: number,
): Promise<RaisedLimit> {
  if (always) throw new RpcError('invalid_argument', 'duration: a session ends, so its limit is raised for it alone');
  return { attributes: { grants: withSessionGrant(grants, { sessionNodeId, limitNanos, nowMs }) }, untilMs: undefined };
}

async function raiseWindow(
  { period: label }: Pick<LimitRequestRow, 'period'>,
  row: KeyRow | NodeRow,
  { limitNanos }: WantedGrant,
  nowMs: number,
): Promise<RaisedLimit> {
  const period = capPeriodOf(label);
  if (period === 'total') throw new RpcError('invalid_argument', 'duration: a total cap has no window that ends');
  requireHigher(withGrants(capsOf(row), row.grants, nowMs)[period], limitNanos);
  const { grants, untilMs } = withWindowGrant(row.grants, { period, limitNanos, nowMs });
  return { attributes: { grants }, untilMs };
}

/**
 * Raises a cap for good. Where it becomes more than a default above, it exceeds the defaults, and its other caps stay what they
 * have been under them.
 */
async function raiseCap(
  client: PoolClient,
  { period: label }: Pick<LimitRequestRow, 'period'>,
  row: KeyRow | NodeRow,
  { limitNanos }: WantedGrant,
): Promise<RaisedLimit> {
  const period = capPeriodOf(label);
  const before = capsOf(row);
  requireHigher(before[period], limitNanos);
  const raised = { [CAP_COLUMN[period]]: limitNanos };
  if ('key_id' in row) requireWithin(await findKeysAbove(client, row), raised);
  if (capsOf({ ...row, ...raised })[period]?.limitNanos === limitNanos)
    return { attributes: raised, untilMs: undefined };
  const others = CAP_PERIODS.filter((each) => each !== period && row[CAP_COLUMN[each]] !== null);
  const kept = Object.fromEntries(others.map((each) => [CAP_COLUMN[each], before[each]?.limitNanos ?? null]));
  return { attributes: { ...kept, ...raised, exceeds_defaults: true }, untilMs: undefined };
}

function requireHigher(before: AppliedCap | undefined, limitNanos: bigint): void {
  if (before === undefined) throw new RpcError('failed_precondition', 'it has no such limit any more');
  if (limitNanos > before.limitNanos) return;
  throw new RpcError('invalid_argument', `amount: must be more than the limit of $${formatDollars(before.limitNanos)}`);
}
