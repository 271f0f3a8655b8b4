import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import { DepositKind, type LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Movement, MovementKind } from '../movements/plan-movements.ts';

const DEADLINE_MS = 10_000;

/**
 * What the ledger made of a movement. `short`: the account has less available; `different`: it was booked before with another
 * amount; `refused`: it can never be booked.
 */
export type Booking = 'booked' | 'short' | 'different' | 'refused';

/** Of whom a movement is, and of what. */
export interface BookingOf {
  createdBy: string;
  /** The key under which the payment's credit is booked: refunds and disputes take that credit. */
  paymentKey: string;
}

/** Books a movement, once for its key. */
export type Book = (accountId: string, movement: Movement, of: BookingOf) => Promise<Booking>;

/**
 * Books movements in the ledger.
 *
 * @throws ServiceError of grpc-js if the outcome is not known, or may be another one later
 */
export function bookBy(ledger: LedgerServiceClient): Book {
  return async (accountId, { key, kind, amountNanos, reason, refuseShortfall }, { createdBy, paymentKey }) => {
    const request = {
      accountId,
      kind: kindOf(kind),
      amountNanos,
      idempotencyKey: key,
      reason,
      createdBy,
      refuseShortfall,
      paymentKey: paymentKey === key ? '' : paymentKey,
    };
    try {
      await unaryCall(ledger.bookPayment.bind(ledger), request, { deadlineMs: DEADLINE_MS });
      return 'booked';
    } catch (error) {
      const booking = refusalOf(error, refuseShortfall);
      if (booking === undefined) throw error;
      return booking;
    }
  };
}

function refusalOf(error: unknown, refuseShortfall: boolean): Booking | undefined {
  if (!isGrpcError(error)) return undefined;
  switch (error.code) {
    case status.ALREADY_EXISTS:
      return 'different';
    case status.FAILED_PRECONDITION:
      return refuseShortfall ? 'short' : 'refused';
    case status.INVALID_ARGUMENT:
      return 'refused';
    default:
      return undefined;
  }
}

function kindOf(kind: MovementKind): DepositKind {
  switch (kind) {
    case 'deposit':
      return DepositKind.DEPOSIT;
    case 'refund':
      return DepositKind.REFUND;
    case 'dispute':
      return DepositKind.DISPUTE;
    default:
      return kind satisfies never;
  }
}
