import { createHash } from 'node:crypto';
import type { Actor } from '@tollgate/common/actors/token';
import { insertAudit, type NewAuditEntry } from '@tollgate/common/audit/audit-log';
import { RpcError } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import { CURRENCY, formatDollars } from '@tollgate/common/money';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { Deposit } from '@tollgate/proto/ledger';
import { recordSuspensionChange } from '../events/account-events.ts';
import { crossThresholds } from '../events/thresholds.ts';
import { DEFAULT_PRIORITY, type LotKindLabel } from '../lots/lot.ts';
import { nextDue } from '../lots/lot-ends.ts';
import { ensureAccounts, lockBalance } from '../store/balances.ts';
import { type DepositKindLabel, findDeposit, insertDeposit } from '../store/deposits.ts';
import { readLots, writeLots } from '../store/lots.ts';
import { codeOf } from '../store/retry.ts';
import { type CreditRef, findCredit, takeFromLots } from './choose-lots.ts';
import { payDebt, withDebtPaid } from './debts.ts';
import { splitDeposit } from './split-deposit.ts';

export interface DepositInput {
  accountId: string;
  kind: DepositKindLabel;
  /** Not 0; positive for a deposit, negative for a dispute. */
  amountNanos: bigint;
  idempotencyKey: string;
  reason: string;
  /** Refuse a debit larger than the available balance, instead of owing the rest. */
  refuseShortfall?: boolean;
  /** A refund larger than the available balance becomes debt too: its money has left already. */
  oweRefund?: boolean;
  /**
   * What a refund or dispute takes back, or a credit gives back. A refund takes nothing else, unless it may be owed, and without
   * this only paid credit; any other debit takes the rest from other credit.
   */
  credit?: CreditRef | undefined;
  /** The lot that a credit makes. */
  lot?: LotTerms | undefined;
  /** Takes what it is made of, in its transaction: if that fails, nothing is made. @returns the end of the lot */
  claim?: (client: PoolClient, nowMs: bigint) => Promise<bigint | undefined>;
  /** Who makes it; recorded in the audit log. */
  actor?: Actor;
  /** The name of who made it, if no actor did. */
  createdBy?: string;
}

/** What an operator says of the lot of a credit. */
export interface LotTerms {
  kind: LotKindLabel | undefined;
  priority: number | undefined;
  endsAtMs: bigint | undefined;
}

export interface DepositMade {
  deposit: Deposit;
  /** Whether an earlier call made it. */
  repeated: boolean;
  /** Whether the account owes money now. */
  suspended: boolean;
}

const NUMERIC_VALUE_OUT_OF_RANGE = '22003';

/**
 * Credits or debits an account once per idempotency key. A credit pays debt first; the part of a debit that exceeds the
 * available balance becomes debt.
 *
 * @throws RpcError already_exists: the key was used with different input; failed_precondition: a refund without oweRefund,
 *   or a debit with refuseShortfall, exceeds the available balance, or a refund what is left of its credit; a debit names an account
 *   that never had credit; or the balance would exceed the range of the ledger
 */
export async function makeDeposit(pool: Pool, input: DepositInput): Promise<DepositMade> {
  const made = await depositOnce(pool, input, (available) => {
    if (mayOwe(input)) return 'owe';
    throw new RpcError(
      'failed_precondition',
      `amount_nanos: takes more than the ${formatDollars(available)} USD available`,
    );
  });
  if (made === 'short') throw new Error('a deposit that may become debt was not made');
  return made;
}

function mayOwe({ kind, refuseShortfall, oweRefund }: DepositInput): boolean {
  return refuseShortfall !== true && (kind !== 'refund' || oweRefund === true);
}

/** As makeDeposit, but does not make a debit that exceeds the available balance: 'short'. */
export function makeDepositIfAvailable(pool: Pool, input: DepositInput): Promise<DepositMade | 'short'> {
  return depositOnce(pool, input, () => 'leave');
}

/** What to do with a debit that exceeds the available balance. */
type OnShortfall = (available: bigint) => 'owe' | 'leave';

async function depositOnce(pool: Pool, input: DepositInput, onShortfall: OnShortfall): Promise<DepositMade | 'short'> {
  try {
    return await inTransaction(pool, (client) => depositInTransaction(client, input, onShortfall));
  } catch (error) {
    if (codeOf(error) !== NUMERIC_VALUE_OUT_OF_RANGE) throw error;
    throw new RpcError('failed_precondition', 'amount_nanos: the balance would exceed the range of the ledger', {
      cause: error,
    });
  }
}

async function depositInTransaction(
  client: PoolClient,
  input: DepositInput,
  onShortfall: OnShortfall,
): Promise<DepositMade | 'short'> {
  const { accountId, amountNanos, idempotencyKey } = input;
  const inputHash = hashOf(input);
  // A debit creates no account: a mistyped id would owe all of it.
  if (amountNanos > 0n) await ensureAccounts(client, [accountId]);
  const before = await lockBalance(client, accountId);
  if (before === undefined) throw new RpcError('failed_precondition', 'account_id: has never had any credit');
  const known = await findDeposit(client, accountId, idempotencyKey);
  if (known !== undefined) {
    if (known.inputHash.equals(inputHash)) {
      return { deposit: known.deposit, repeated: true, suspended: before.suspended };
    }
    throw new RpcError('already_exists', 'idempotency_key: was used with different input');
  }
  const split = splitDeposit(amountNanos, withDebtPaid(before));
  if (split.shortfall > 0n && onShortfall(withDebtPaid(before).available) === 'leave') return 'short';

  const book = await readLots(client, accountId);
  const paid = await payDebt(client, accountId, before, book);
  const owed = paid.owed + split.owed;
  const after = { ...paid, available: paid.available + split.available, owed, suspended: owed > 0n };
  const { nowMs } = before;
  const depositId = newId();
  const isRefund = input.kind === 'refund';
  const credit = input.credit && (await findCredit(client, accountId, input.credit, isRefund));
  if (amountNanos > 0n) {
    const endsAtMs = input.claim === undefined ? input.lot?.endsAtMs : await input.claim(client, nowMs);
    if (endsAtMs !== undefined && endsAtMs <= nowMs) {
      throw new RpcError('invalid_argument', 'ends_at_ms: must be in the future');
    }
    book.add({
      lotId: depositId,
      paymentId: credit?.depositId ?? depositId,
      kind: input.lot?.kind ?? (input.kind === 'adjustment' ? 'granted' : 'paid'),
      priority: input.lot?.priority ?? DEFAULT_PRIORITY,
      endsAtMs,
      createdAtMs: nowMs,
      amount: split.available,
      dueAtMs: endsAtMs === undefined ? undefined : nextDue(endsAtMs, nowMs),
    });
  } else takeFromLots(book, -split.available, credit, isRefund && !mayOwe(input));
  const made = await insertDeposit(client, {
    ...input,
    depositId,
    owedNanos: split.owed,
    inputHash,
    createdBy: input.actor?.name ?? input.createdBy,
    nowMs,
  });
  await writeLots(client, accountId, book);
  if (input.actor !== undefined) await insertAudit('ledger', client, input.actor, depositEntry(made, input));
  await recordSuspensionChange(client, accountId, before, after);
  await crossThresholds(client, [accountId], nowMs);
  return { deposit: made, repeated: false, suspended: after.suspended };
}

function depositEntry(
  { depositId, accountId, owedNanos }: Deposit,
  { kind, amountNanos, reason, lot }: DepositInput,
): NewAuditEntry {
  return {
    accountId,
    action: 'deposit.create',
    targetId: depositId,
    targetName: kind,
    details: {
      amount: formatDollars(amountNanos),
      currency: CURRENCY,
      kind,
      reason,
      ...(lot === undefined ? {} : auditedTerms(lot)),
      ...(owedNanos === 0n ? {} : { owed: formatDollars(owedNanos) }),
    },
  };
}

function auditedTerms({ kind, priority, endsAtMs }: LotTerms): Record<string, string> {
  return {
    ...(kind === undefined ? {} : { lot_kind: kind }),
    ...(priority === undefined ? {} : { priority: String(priority) }),
    ...(endsAtMs === undefined ? {} : { ends_at: new Date(Number(endsAtMs)).toISOString() }),
  };
}

function hashedTerms({ kind, priority, endsAtMs }: LotTerms): (string | number | null)[] {
  return [kind ?? null, priority ?? null, endsAtMs?.toString() ?? null];
}

function hashOf(input: DepositInput): Buffer {
  const fields = [
    input.kind,
    input.amountNanos.toString(),
    input.reason,
    input.refuseShortfall === true,
    ...(input.credit?.by === 'id' ? [input.credit.depositId] : []),
    ...(input.lot === undefined ? [] : [hashedTerms(input.lot)]),
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest();
}
