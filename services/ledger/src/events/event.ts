import { newId } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';

/** Labels of the SQL type ledger.event_type, also the `type` that subscribers see. */
export type EventType = 'balance.low' | 'account.suspended' | 'account.unsuspended';

/** Something that subscribers are told. Money in the payload is decimal text with its currency; no key is in it. */
export interface NewEvent {
  accountId: string;
  /** A new UUIDv7. */
  eventId: string;
  type: EventType;
  payload: Readonly<Record<string, string>>;
}

const CURRENCY = 'USD';

/** The balance fell to or below a threshold of the account. */
export function balanceLow(accountId: string, threshold: bigint, balance: bigint): NewEvent {
  return event(accountId, 'balance.low', { threshold: formatDollars(threshold), balance: formatDollars(balance) });
}

/** The account owes money from now on, so that its requests are refused. */
export function accountSuspended(accountId: string, owed: bigint, balance: bigint): NewEvent {
  return event(accountId, 'account.suspended', { owed: formatDollars(owed), balance: formatDollars(balance) });
}

/** The account owes nothing any more. */
export function accountUnsuspended(accountId: string, balance: bigint): NewEvent {
  return event(accountId, 'account.unsuspended', { balance: formatDollars(balance) });
}

function event(accountId: string, type: EventType, amounts: Readonly<Record<string, string>>): NewEvent {
  return { accountId, eventId: newId(), type, payload: { account_id: accountId, ...amounts, currency: CURRENCY } };
}
