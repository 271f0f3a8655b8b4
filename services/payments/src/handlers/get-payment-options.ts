import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { GetPaymentOptionsRequest, PaymentOptions } from '@tollgate/proto/payments';
import { modeOf } from '../config.ts';
import type { Dependencies } from '../dependencies.ts';
import { limitTimes } from '../limits/check-limits.ts';
import { dailyLimit } from '../limits/daily-limit.ts';
import { readPaidIn } from '../store/accounts.ts';

/** What an account can pay in. */
export function createGetPaymentOptionsHandler({
  config,
  pool,
  now,
}: Pick<Dependencies, 'config' | 'pool' | 'now'>): UnaryHandler<GetPaymentOptionsRequest, PaymentOptions> {
  return async (request) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const paidIn = await readPaidIn(pool, accountId, limitTimes(now()));
    const { limitNanos, leftNanos } = dailyLimit(config.PAYMENT_DAILY_LIMIT, paidIn);
    return {
      mode: modeOf(config),
      offeredAmountsNanos: config.PAYMENT_AMOUNTS,
      minAmountNanos: config.PAYMENT_MIN,
      maxAmountNanos: config.PAYMENT_MAX,
      dailyLimitNanos: limitNanos,
      dailyLeftNanos: leftNanos,
    };
  };
}
