import { Refusal } from '@tollgate/common/errors';
import { WHOLE_DISCOUNT_PPM } from '@tollgate/common/money';
import type { SetDiscountRequest, SetDiscountResponse } from '@tollgate/proto/auth';
import type { Dependencies } from '../dependencies.ts';
import { forgetKeysOf } from '../forget-records.ts';
import { toAccount } from '../store/account.ts';
import { updateDiscount } from '../store/update-discount.ts';
import { requireUuid } from './validate.ts';

/** Sets an account's discount. Requests that begin after this has returned are priced with it. */
export async function setDiscount(
  deps: Pick<Dependencies, 'pool' | 'cache' | 'logger'>,
  { accountId, discountPpm }: SetDiscountRequest,
): Promise<SetDiscountResponse> {
  const id = requireUuid('account_id', accountId);
  if (discountPpm < 0 || discountPpm > WHOLE_DISCOUNT_PPM) {
    throw new Refusal('invalid_argument', `discount_ppm must be 0 to ${WHOLE_DISCOUNT_PPM}`);
  }
  const account = await updateDiscount(deps.pool, id, discountPpm);
  if (account === undefined) throw new Refusal('not_found', 'no such account');
  await forgetKeysOf(deps, account);
  return { account: toAccount(account) };
}
