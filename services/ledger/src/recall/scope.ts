import { isUuid } from '@tollgate/common/ids';
import { type CapName, CapPeriod, type LeaseResponse } from '@tollgate/proto/ledger';

/** What a recall is about. Each kind has its own message to sessions and its own kind of return. */
export type RecallScope =
  /** An account's leases. */
  | { kind: 'credit'; accountId: string }
  /** The leases of an account that owes money, under which no new hold may be made. */
  | { kind: 'suspended'; accountId: string }
  /** The parts of one spending cap. */
  | { kind: 'cap'; cap: CapName };

/** The name of a scope, the same on every replica: each has at most one recall at a time. */
export function scopeText(scope: RecallScope): string {
  switch (scope.kind) {
    case 'credit':
    case 'suspended':
      return `${scope.kind}/${scope.accountId}`;
    case 'cap': {
      const { accountId, keyId, period, periodStartMs } = scope.cap;
      return `cap/${accountId}/${keyId}/${period}/${periodStartMs}`;
    }
    default:
      return scope satisfies never;
  }
}

/** The scope of a name; undefined for an unknown one, which a newer replica may send. */
export function parseScope(text: string): RecallScope | undefined {
  const [kind, accountId = '', keyId = '', period = '', start = ''] = text.split('/');
  if (!isUuid(accountId)) return undefined;
  switch (kind) {
    case 'credit':
    case 'suspended':
      return { kind, accountId };
    case 'cap': {
      const known = Object.values(CapPeriod).find((each) => String(each) === period);
      if (!isUuid(keyId) || known === undefined || !/^\d{1,15}$/.test(start)) return undefined;
      return { kind, cap: { accountId, keyId, period: known, periodStartMs: BigInt(start) } };
    }
    default:
      return undefined;
  }
}

/** The message that sessions are sent. */
export function recallMessage(scope: RecallScope): NonNullable<LeaseResponse['message']> {
  switch (scope.kind) {
    case 'credit':
      return { $case: 'recall', value: { accountId: scope.accountId, suspended: false } };
    case 'suspended':
      return { $case: 'recall', value: { accountId: scope.accountId, suspended: true } };
    case 'cap':
      return { $case: 'recallCap', value: { cap: scope.cap } };
    default:
      return scope satisfies never;
  }
}
