import { periodEnd } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Lot } from '../lots/lot.ts';
import type { LockedBalance } from '../store/balances.ts';
import { type CrossedCap, KEY_SCOPE, type NamedCap } from '../store/ceilings.ts';
import type { EventType, NewEvent } from '../store/events.ts';
import { insertEvents } from '../store/events.ts';

const CURRENCY = 'USD';

/** The balance fell to or below a threshold of the account. */
export function balanceLow(accountId: string, threshold: bigint, balance: bigint): NewEvent {
  return event(accountId, 'balance.low', { threshold: formatDollars(threshold), balance: formatDollars(balance) });
}

/** A part of a cap is spent, or all that the requests below its node can use of it. */
export function capCrossed(cap: CrossedCap & NamedCap): NewEvent {
  const end = periodEnd(cap.period, cap.startMs);
  return event(cap.accountId, cap.percent === 100 ? 'cap.reached' : 'cap.low', {
    ...(cap.scope === KEY_SCOPE
      ? { key_id: cap.nodeId, key_name: cap.name }
      : { scope: cap.scope, node_id: cap.nodeId, node_name: cap.name }),
    period: cap.period,
    percent: String(cap.percent),
    limit: formatDollars(cap.limitNanos),
    spent: formatDollars(cap.spentNanos),
    ...(end === undefined ? {} : { resets_at: new Date(end).toISOString() }),
  });
}

/** The account owes money now, so its requests are refused. */
export function accountSuspended(accountId: string, owed: bigint, balance: bigint): NewEvent {
  return event(accountId, 'account.suspended', { owed: formatDollars(owed), balance: formatDollars(balance) });
}

/** The account no longer owes money. */
export function accountUnsuspended(accountId: string, balance: bigint): NewEvent {
  return event(accountId, 'account.unsuspended', { balance: formatDollars(balance) });
}

/** Credit ends soon. */
export function creditExpiring(accountId: string, lot: Lot): NewEvent {
  return event(accountId, 'credit.expiring', lotData(lot, lot.remaining));
}

/** Credit has ended; the amount is all of the lot that ended so far. */
export function creditExpired(accountId: string, lot: Lot): NewEvent {
  return event(accountId, 'credit.expired', lotData(lot, lot.expired));
}

function lotData({ lotId, kind, endsAtMs }: Lot, amount: bigint): Record<string, string> {
  return {
    lot_id: lotId,
    kind,
    amount: formatDollars(amount),
    ends_at: new Date(Number(endsAtMs ?? 0n)).toISOString(),
  };
}

function event(accountId: string, type: EventType, data: Readonly<Record<string, string>>): NewEvent {
  return { accountId, eventId: newId(), type, payload: { account_id: accountId, ...data, currency: CURRENCY } };
}

/** Records an event if a transaction suspended an account or ended its suspension. */
export async function recordSuspensionChange(
  client: PoolClient,
  accountId: string,
  before: LockedBalance,
  after: LockedBalance,
): Promise<void> {
  if (before.suspended === after.suspended) return;
  const balance = after.available + after.leased;
  const event = after.suspended
    ? accountSuspended(accountId, after.owed, balance)
    : accountUnsuspended(accountId, balance);
  await insertEvents(client, [event], after.nowMs);
}
