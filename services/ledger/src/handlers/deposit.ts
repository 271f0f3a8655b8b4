import { RpcError } from '@tollgate/common/errors';
import { textArgument, uuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import {
  type BookPaymentRequest,
  DepositKind,
  type DepositRequest,
  type DepositResponse,
  LotKind,
} from '@tollgate/proto/ledger';
import type { LedgerConfig } from '../config.ts';
import type { CreditRef } from '../deposits/choose-lots.ts';
import { depositWithRecall } from '../deposits/deposit-with-recall.ts';
import type { DepositInput, LotTerms } from '../deposits/make-deposit.ts';
import { MAX_PRIORITY } from '../lots/lot.ts';
import type { Recalls } from '../recall/recalls.ts';
import { depositKindLabel } from '../store/deposits.ts';
import { lotKindLabel } from '../store/lots.ts';
import { DAY_MS } from '../store/time.ts';
import { MAX_REASON_LENGTH } from './arguments.ts';
import { readBalanceMessage } from './get-balance.ts';

const MAX_KEY_LENGTH = 200;
const MAX_NAME_LENGTH = 300;

export interface DepositOptions {
  config: LedgerConfig;
  pool: Pool;
  recalls: Recalls;
}

/** Credits or debits an account, once per idempotency key. */
export function createDepositHandler(options: DepositOptions): UnaryHandler<DepositRequest, DepositResponse> {
  return async (request, call) =>
    deposit(options, {
      ...readArguments(request),
      refuseShortfall: request.refuseShortfall === true,
      credit: takenBack(request),
      lot: lotTerms(request),
      actor: actorOf(call),
    });
}

/** Books what a payment provider says of a payment, once per idempotency key. */
export function createBookPaymentHandler(options: DepositOptions): UnaryHandler<BookPaymentRequest, DepositResponse> {
  return async (request) => {
    const input = readArguments(request);
    if (input.kind === 'adjustment') throw new RpcError('invalid_argument', 'kind: must not be ADJUSTMENT');
    return deposit(options, {
      ...input,
      refuseShortfall: request.refuseShortfall,
      oweRefund: true,
      credit: request.paymentKey === '' ? undefined : { by: 'key', key: request.paymentKey },
      createdBy: textArgument('created_by', request.createdBy, MAX_NAME_LENGTH),
    });
  };
}

const MAX_LOT_MS = 10 * 366 * DAY_MS;

function lotTerms({ kind, amountNanos, lotKind, endsAtMs, priority }: DepositRequest): LotTerms | undefined {
  const label = lotKindLabel(lotKind ?? LotKind.UNSPECIFIED);
  const terms = { kind: label, priority, endsAtMs: endsAtMs === 0n ? undefined : endsAtMs };
  if (Object.values(terms).every((value) => value === undefined)) return undefined;
  if (amountNanos < 0n || (kind !== DepositKind.DEPOSIT && kind !== DepositKind.ADJUSTMENT)) {
    throw new RpcError('invalid_argument', 'lot_kind, ends_at_ms, priority: are of a positive deposit or adjustment');
  }
  if (priority !== undefined && (priority < 0 || priority > MAX_PRIORITY)) {
    throw new RpcError('invalid_argument', `priority: must be from 0 to ${MAX_PRIORITY}`);
  }
  if (endsAtMs !== undefined && endsAtMs > BigInt(Date.now() + MAX_LOT_MS)) {
    throw new RpcError('invalid_argument', 'ends_at_ms: must be at most ten years ahead');
  }
  return terms;
}

function takenBack({ depositId, kind }: DepositRequest): CreditRef | undefined {
  if (depositId === undefined || depositId === '') return undefined;
  if (kind !== DepositKind.REFUND && kind !== DepositKind.DISPUTE) {
    throw new RpcError('invalid_argument', 'deposit_id: only a refund or a dispute takes credit back');
  }
  return { by: 'id', depositId: uuidArgument('deposit_id', depositId) };
}

function readArguments(request: Omit<DepositRequest, 'refuseShortfall'>): DepositInput {
  const accountId = uuidArgument('account_id', request.accountId);
  const idempotencyKey = textArgument('idempotency_key', request.idempotencyKey, MAX_KEY_LENGTH);
  const reason = textArgument('reason', request.reason, MAX_REASON_LENGTH);
  const kind = depositKindLabel(request.kind);
  if (kind === undefined) throw new RpcError('invalid_argument', 'kind: required');
  const { amountNanos } = request;
  if (amountNanos === 0n) throw new RpcError('invalid_argument', 'amount_nanos: must not be 0');
  if (kind === 'deposit' && amountNanos < 0n) {
    throw new RpcError('invalid_argument', 'amount_nanos: a deposit must be positive');
  }
  if (kind === 'dispute' && amountNanos > 0n) {
    throw new RpcError('invalid_argument', 'amount_nanos: a dispute must be negative');
  }
  return { accountId, kind, amountNanos, idempotencyKey, reason };
}

async function deposit({ config, pool, recalls }: DepositOptions, input: DepositInput): Promise<DepositResponse> {
  const made = await depositWithRecall({ pool, recalls, sessionTtlMs: config.SESSION_TTL_MS }, input);
  const balance = await readBalanceMessage(pool, input.accountId);
  return { deposit: made.deposit, repeated: made.repeated, balance };
}
