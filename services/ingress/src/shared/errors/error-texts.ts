import type { CeilingPeriodLabel } from '@tollgate/common/cap-periods';
import { formatDollars } from '@tollgate/common/money';
import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import {
  type BalanceStatus,
  type CapStatus,
  type CeilingOwner,
  isDerived,
  nodeOf,
  resetsAt,
} from '../limits/ceilings.ts';

/** Why a presented key is refused. */
export type KeyRefusalReason = 'malformed' | 'unknown' | 'deleted' | 'expired' | 'off' | 'account_suspended';

/** Why a request is not authenticated. */
export type FailureReason = KeyRefusalReason | 'missing';

/** Why a key is refused, for clients: in error responses and in the close frames of WebSockets, which hold 123 bytes. */
export const KEY_MESSAGES: Record<KeyRefusalReason, string> = {
  malformed: 'The API key is not valid: it is mistyped, incomplete or not a key of this service.',
  unknown: 'The API key is not valid.',
  deleted: 'The API key has been deleted. Create a new one.',
  expired: 'The API key has expired. Create a new one.',
  off: "The API key's project, its owner or a key above it is switched off, has ended or is deleted.",
  account_suspended: "The API key's account is suspended.",
};

/** What is recorded as a refusal of the account; undefined where the account is unknown. */
export const KEY_REASONS: Record<KeyRefusalReason, RefusalReason | undefined> = {
  malformed: undefined,
  unknown: undefined,
  deleted: 'key_deleted',
  expired: 'key_expired',
  off: 'key_off',
  account_suspended: 'account_suspended',
};

/** Names of spending caps in messages. */
export const CAP_NAMES: Record<CeilingPeriodLabel, string> = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
  total: 'total',
  session: 'total',
};

/** Who has a cap, in messages. */
export function holderOf({ nodeId }: CapStatus, owner: CeilingOwner): string {
  const { scope, id, name } = nodeOf(nodeId, owner);
  switch (scope) {
    case 'key':
      return id === owner.keyId ? 'the API key' : 'a key above the API key';
    case 'project':
      return "the API key's project";
    case 'service_account':
      return name === null ? "the API key's service account" : `the service account ${name}`;
    case 'member':
      return name === null ? "the API key's owner" : `the member ${name}`;
    case 'session':
      return `the session ${name}`;
    default:
      return scope satisfies never;
  }
}

/** What is left of the balance, as far as the key may see it. */
export function leftOfBalance({ leftNanos }: BalanceStatus, owner: CeilingOwner): string {
  if (isDerived(owner)) return "which is more than is left of the account's balance";
  return `and the account's balance is $${formatDollars(leftNanos)}`;
}

/** What is left of a cap, as far as the key may see it. */
export function leftOfCap(cap: CapStatus, owner: CeilingOwner): string {
  const capName = `${CAP_NAMES[cap.window]} spending cap`;
  const holder = holderOf(cap, owner);
  if (nodeOf(cap.nodeId, owner).name === null) return `which is more than is left of the ${capName} of ${holder}`;
  return `and ${holder} has $${formatDollars(cap.leftNanos)} left of its ${capName} of $${formatDollars(cap.limitNanos)}`;
}

/** What the remaining amount pays for, and what helps. @param first what helps with any request */
export function remedy(first: string, outputTokens: number | undefined): string {
  if (outputTokens === undefined) return `. ${first}, or send a smaller request.`;
  const smaller = outputTokens === 0 ? 'send a smaller request' : 'lower the output limit';
  return `, which pays for ${tokensText(outputTokens)}. ${first}, or ${smaller}.`;
}

/** Like `remedy`, if only a smaller request helps. */
export function lessOf(outputTokens: number | undefined): string {
  if (outputTokens === undefined) return '. Send a smaller request.';
  const remains = outputTokens === 0 ? 'Send a smaller request.' : 'Lower the output limit.';
  return `, which pays for ${tokensText(outputTokens)}. ${remains}`;
}

function tokensText(outputTokens: number): string {
  return outputTokens === 0 ? 'no output tokens' : `${outputTokens} output token${outputTokens === 1 ? '' : 's'}`;
}

/** What helps with any request that is refused because of a cap. */
export function relief({ window }: CapStatus): string {
  return window === 'session' ? 'Start another session' : 'Raise the cap';
}

/** When a reached cap resets. */
export function renewal(cap: CapStatus): string {
  const end = resetsAt(cap);
  return end === null ? '' : ` It resets at ${end.replace('.000Z', 'Z')}.`;
}
