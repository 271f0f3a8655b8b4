import type { ResumeAccountRequest, ResumeAccountResponse } from '@tollgate/proto/auth';
import { changeAccount } from '../changes/change-account.ts';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { toAccount } from '../store/accounts.ts';
import { requireUuid } from './validate.ts';

/** Lifts an account's suspension, and waits until every ingress accepts its keys again. */
export async function resumeAccount(
  deps: ChangeDependencies,
  request: ResumeAccountRequest,
  signal: AbortSignal,
): Promise<ResumeAccountResponse> {
  const account = await changeAccount(
    deps,
    { accountId: requireUuid('account_id', request.accountId), done: 'the account is resumed' },
    ({ status }) => (status === 'active' ? undefined : { status: 'active', suspension_reason: null }),
    signal,
  );
  return { account: toAccount(account) };
}
