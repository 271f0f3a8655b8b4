import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { UpdateAccountRequest, UpdateAccountResponse } from '@tollgate/proto/auth';
import { changeAccount } from '../changes/change-account.ts';
import type { ChangeDependencies } from '../changes/wait-for-propagation.ts';
import { accountShownTo, requireOperator } from '../rules/actor-rules.ts';
import { type AccountRow, toAccount } from '../store/accounts.ts';
import { limitColumns } from '../store/columns.ts';

/** Changes the given attributes of an account. The change applies to requests that start after this has returned. */
export function createUpdateAccountHandler(
  deps: ChangeDependencies,
): UnaryHandler<UpdateAccountRequest, UpdateAccountResponse> {
  return async (request, context) => {
    const actor = actorOf(context);
    const accountId = uuidArgument('account_id', request.accountId);
    requireOperator(actor, 'discount_ppm', request.discountPpm);
    requireOperator(actor, 'limits', request.limits);
    requireOperator(actor, 'price_rules', request.priceRules);
    const attributes = givenAttributes(request);
    const account = await changeAccount(
      deps,
      { accountId, actor, action: 'account.update', done: 'the account is changed' },
      () => attributes,
      context.signal,
    );
    return { account: accountShownTo(actor, toAccount(account)) };
  };
}

/** The attributes that a request sets. */
function givenAttributes({ name, discountPpm, limits, priceRules }: UpdateAccountRequest): Partial<AccountRow> {
  const given: Partial<AccountRow> = {
    ...(name === undefined ? {} : { name }),
    ...(discountPpm === undefined ? {} : { discount_ppm: discountPpm }),
    ...(limits === undefined ? {} : limitColumns(limits)),
    ...(priceRules === undefined ? {} : { price_rules: priceRules.rules }),
  };
  if (Object.keys(given).length === 0) throw new RpcError('invalid_argument', 'no field to change is set');
  return given;
}
