import { type Payment, PaymentState } from '@tollgate/proto/payments';
import { sumsOf } from '../movements/sums.ts';
import type { RecordedMovement } from '../store/movements.ts';
import type { PaymentRow, PaymentStateLabel } from '../store/payments.ts';

/** A payment as callers see it, with the sums of what the ledger has booked. */
export function paymentMessage(row: PaymentRow, movements: readonly RecordedMovement[]): Payment {
  const booked = movements.filter(
    ({ paymentId, bookedAtMs }) => paymentId === row.payment_id && bookedAtMs !== undefined,
  );
  return {
    paymentId: row.payment_id,
    accountId: row.account_id,
    state: stateOf(row.state),
    amountNanos: row.amount_nanos,
    ...sumsOf(booked),
    checkoutUrl: row.state === 'pending' ? (row.checkout_url ?? '') : '',
    method: row.method ?? '',
    failure: row.state === 'settled' ? '' : (row.failure ?? ''),
    createdBy: row.created_by,
    createdAtMs: row.created_at_ms,
    settledAtMs: row.settled_at_ms ?? 0n,
    automatic: row.crossing !== null,
    providerPayment: row.provider_payment ?? '',
  };
}

function stateOf(label: PaymentStateLabel): PaymentState {
  switch (label) {
    case 'pending':
      return PaymentState.PENDING;
    case 'settled':
      return PaymentState.SETTLED;
    case 'failed':
      return PaymentState.FAILED;
    default:
      return label satisfies never;
  }
}
