import { unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { readDiscount } from '../../attributes/amounts.ts';
import { toRateLimits } from '../../attributes/limits.ts';
import { CHANGE_DEADLINE_MS, reportUnconfirmed } from '../../changes/unconfirmed.ts';
import type { Handler } from '../../http/handler.ts';
import { renderAccount } from '../../render/account.ts';
import { required } from '../../required.ts';

/** Changes an account. Auth refuses a discount or limits from anybody but operators. */
export function createUpdateAccountHandler({
  auth,
}: {
  auth: AuthServiceClient;
}): Handler<'PATCH /accounts/{account_id}'> {
  return async ({ path, body, rpc }) => {
    const request = {
      accountId: path.account_id,
      name: body.name,
      discountPpm:
        body.discount_percent === undefined ? undefined : readDiscount(body.discount_percent, 'discount_percent'),
      limits: body.limits === undefined ? undefined : toRateLimits(body.limits),
    };
    const call = unaryCall(auth.updateAccount.bind(auth), request, await rpc(CHANGE_DEADLINE_MS));
    const { account } = await reportUnconfirmed(call, 'The account is changed');
    return renderAccount(required(account));
  };
}
