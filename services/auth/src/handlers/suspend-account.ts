import type { SuspendAccountRequest, SuspendAccountResponse } from '@tollgate/proto/auth';
import { changeAccount } from '../changes/change-account.ts';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { toAccount } from '../store/accounts.ts';
import { requireText, requireUuid } from './validate.ts';

/** Suspends an account, and waits until no ingress accepts any key of it. */
export async function suspendAccount(
  deps: ChangeDependencies,
  request: SuspendAccountRequest,
  signal: AbortSignal,
): Promise<SuspendAccountResponse> {
  const accountId = requireUuid('account_id', request.accountId);
  const reason = requireText('reason', request.reason, 200);
  const account = await changeAccount(
    deps,
    { accountId, done: 'the account is suspended' },
    ({ suspension_reason: known }) =>
      known === reason ? undefined : { status: 'suspended', suspension_reason: reason },
    signal,
  );
  return { account: toAccount(account) };
}
