import { RpcError } from '@tollgate/common/errors';
import { textArgument } from '@tollgate/common/grpc/arguments';
import { formatDollars, NANOS_PER_DOLLAR } from '@tollgate/common/money';
import type { SetAutomaticTopUpRequest } from '@tollgate/proto/payments';
import type { PaymentsConfig } from '../config.ts';
import { centsOf } from '../money.ts';
import type { TopUpRule } from '../store/top-ups.ts';

const MAX_ID_LENGTH = 200;
/** More than any account holds; far from the range of the ledger. */
const MAX_NANOS = 10_000_000n * NANOS_PER_DOLLAR;

/** The rule that a request asks for, without the name of its card. @throws RpcError that names the field */
export function ruleArgument(
  { PAYMENT_MIN: min, PAYMENT_MAX: max }: Pick<PaymentsConfig, 'PAYMENT_MIN' | 'PAYMENT_MAX'>,
  request: SetAutomaticTopUpRequest,
): Omit<TopUpRule, 'method'> {
  const { thresholdNanos, targetNanos, monthlyMaxNanos } = request;
  checkAmount('threshold_nanos', thresholdNanos);
  checkAmount('target_nanos', targetNanos);
  checkAmount('monthly_max_nanos', monthlyMaxNanos);
  const step = targetNanos - thresholdNanos;
  if (step < min || step > max) {
    const bounds = `${formatDollars(min)} to ${formatDollars(max)} USD`;
    throw new RpcError('invalid_argument', `target_nanos: must be ${bounds} above the threshold, as one payment is`);
  }
  if (monthlyMaxNanos < step) {
    const least = formatDollars(step);
    throw new RpcError('invalid_argument', `monthly_max_nanos: must be at least ${least} USD, target minus threshold`);
  }
  return {
    thresholdNanos,
    targetNanos,
    monthlyMaxNanos,
    methodId: textArgument('method_id', request.methodId, MAX_ID_LENGTH),
  };
}

function checkAmount(name: string, nanos: bigint): void {
  if (nanos < 0n || nanos > MAX_NANOS) {
    throw new RpcError('invalid_argument', `${name}: must be 0 to ${formatDollars(MAX_NANOS)} USD`);
  }
  if (centsOf(nanos) === undefined) throw new RpcError('invalid_argument', `${name}: must be in whole cents`);
}
