import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { ResumeAccountRequest, ResumeAccountResponse } from '@tollgate/proto/auth';
import { changeAccount } from '../changes/change-account.ts';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { toAccount } from '../store/accounts.ts';

/** Lifts an account's suspension, and waits until every ingress accepts its keys again. */
export function createResumeAccountHandler(
  deps: ChangeDependencies,
): UnaryHandler<ResumeAccountRequest, ResumeAccountResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const account = await changeAccount(
      deps,
      { accountId, actor: actorOf(context), action: 'account.resume', done: 'the account is resumed' },
      ({ status }) => (status === 'active' ? undefined : { status: 'active', suspension_reason: null }),
      context.signal,
    );
    return { account: toAccount(account) };
  };
}
