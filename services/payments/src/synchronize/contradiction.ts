import { NANOS_PER_CENT } from '../money.ts';
import type { Origin } from '../providers/origin.ts';
import type { PaymentSnapshot } from '../providers/provider.ts';
import type { PaymentRow } from '../store/payments.ts';

const CURRENCY = 'usd';

/** Why a payment at the provider cannot be the one of our row, so that nothing is booked; undefined: it can. */
export function contradictionOf(row: PaymentRow, payment: PaymentSnapshot, origin: Origin): string | undefined {
  if (payment.currency !== CURRENCY) return 'currency';
  if (row.account_id !== origin.accountId.toLowerCase() || row.payment_id !== origin.paymentId.toLowerCase()) {
    return 'metadata';
  }
  if (row.amount_nanos !== origin.creditNanos) return 'credit';
  if (row.provider_payment !== null && row.provider_payment !== payment.id) return 'second_payment';
  if (payment.cents * NANOS_PER_CENT < row.amount_nanos) return 'amount';
  if (payment.receivedCents > payment.cents) return 'received';
  return undefined;
}
