import { formatPercent } from '@tollgate/common/money';
import { type Account, AccountStatus } from '@tollgate/proto/auth';
import { renderLimits } from '../attributes/limits.ts';
import { renderTime, textOrNull } from './time.ts';

export function renderAccount(account: Account) {
  return {
    account_id: account.accountId,
    name: account.name,
    status: account.status === AccountStatus.SUSPENDED ? ('suspended' as const) : ('active' as const),
    suspension_reason: textOrNull(account.suspensionReason),
    created_at: renderTime(account.createdAtMs),
    discount_percent: formatPercent(account.discountPpm),
    limits: renderLimits(account.limits),
  };
}
