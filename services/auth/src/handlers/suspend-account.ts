import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { SuspendAccountRequest, SuspendAccountResponse } from '@tollgate/proto/auth';
import { changeAccount } from '../changes/change-account.ts';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { toAccount } from '../store/accounts.ts';

/** Suspends an account, and waits until no ingress accepts any key of it. */
export function createSuspendAccountHandler(
  deps: ChangeDependencies,
): UnaryHandler<SuspendAccountRequest, SuspendAccountResponse> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const { reason } = request;
    const account = await changeAccount(
      deps,
      { accountId, actor: actorOf(context), action: 'account.suspend', done: 'the account is suspended' },
      ({ suspension_reason: known }) =>
        known === reason ? undefined : { status: 'suspended', suspension_reason: reason },
      context.signal,
    );
    return { account: toAccount(account) };
  };
}
