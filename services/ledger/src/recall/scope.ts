import { CAP_PERIOD_OF_LABEL, CEILING_PERIODS } from '@tollgate/common/cap-periods';
import { isUuid } from '@tollgate/common/ids';
import type { LeaseResponse } from '@tollgate/proto/ledger';
import { ceilingName, ceilingOf } from '../leases/ceilings.ts';
import { type AccountCeiling, capKey } from '../store/ceilings.ts';

/** What a recall is about: the leases of one ceiling. */
export interface RecallScope extends AccountCeiling {
  /** The account owes money: no new hold may be made under the leases of its balance. */
  suspended: boolean;
}

/** The name of a scope, the same on every replica: each has at most one recall at a time. */
export function scopeText({ accountId, cap, suspended }: RecallScope): string {
  if (cap !== undefined) return `cap/${capKey(cap)}`;
  return `${suspended ? 'suspended' : 'credit'}/${accountId}`;
}

/** The scope of a name; undefined for an unknown one, which a newer replica may send. */
export function parseScope(text: string): RecallScope | undefined {
  const [kind, accountId = '', nodeId = '', label = '', start = ''] = text.split('/');
  switch (kind) {
    case 'credit':
    case 'suspended':
      return isUuid(accountId) ? { accountId, cap: undefined, suspended: kind === 'suspended' } : undefined;
    case 'cap': {
      const period = CEILING_PERIODS.find((each) => each === label);
      if (period === undefined || !/^\d{1,15}$/.test(start)) return undefined;
      const name = { nodeId, period: CAP_PERIOD_OF_LABEL[period], periodStartMs: BigInt(start) };
      const ceiling = ceilingOf(accountId, name);
      return ceiling && { ...ceiling, suspended: false };
    }
    default:
      return undefined;
  }
}

/** The message that sessions are sent. */
export function recallMessage({ accountId, cap, suspended }: RecallScope): NonNullable<LeaseResponse['message']> {
  return { $case: 'recall', value: { accountId, ceiling: ceilingName(cap), suspended } };
}
