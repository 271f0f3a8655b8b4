import { RpcError } from '@tollgate/common/errors';
import { formatDollars } from '@tollgate/common/money';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Lot } from '../lots/lot.ts';
import type { LotBook } from '../lots/lot-book.ts';
import { findDeposit, isCredit } from '../store/deposits.ts';
import { findLotKind } from '../store/lots.ts';

/** Names the credit that a refund or dispute takes back. */
export type CreditRef = { by: 'key'; key: string } | { by: 'id'; depositId: string };

/** The credit that a refund or dispute takes back. */
export interface NamedCredit {
  depositId: string | undefined;
  isOf: (lot: Lot) => boolean;
}

/**
 * Finds the credit that a refund or dispute takes back, or gives back. A payment of an unknown key has none.
 *
 * @throws RpcError failed_precondition: a refund of granted or contractual credit; not_found: no such deposit
 */
export async function findCredit(
  client: PoolClient,
  accountId: string,
  ref: CreditRef,
  isRefund: boolean,
): Promise<NamedCredit> {
  const depositId = await idOf(client, accountId, ref);
  if (depositId === undefined) return { depositId, isOf: () => false };
  const kind = await findLotKind(client, accountId, depositId);
  if (isRefund && kind !== undefined && kind !== 'paid') {
    throw new RpcError('failed_precondition', `deposit_id: is ${kind} credit; only paid credit can be refunded`);
  }
  return {
    depositId,
    isOf: ({ paymentId }) => paymentId === depositId || (paymentId === undefined && kind === undefined),
  };
}

async function idOf(client: PoolClient, accountId: string, ref: CreditRef): Promise<string | undefined> {
  if (ref.by === 'key') return (await findDeposit(client, accountId, ref.key))?.deposit.depositId;
  if (await isCredit(client, accountId, ref.depositId)) return ref.depositId;
  throw new RpcError('not_found', 'deposit_id: the account has no such credit');
}

/**
 * Takes a debit from the lots of what it takes back first, then from the others in order.
 *
 * @param only the debit may take nothing else
 * @throws RpcError failed_precondition: less is left of what it may take
 */
export function takeFromLots(book: LotBook, amount: bigint, credit: NamedCredit | undefined, only: boolean): void {
  const isFirst = credit?.isOf ?? (only ? ({ kind }: Lot) => kind === 'paid' : () => false);
  const left = book.remaining(isFirst);
  if (only && amount > left) {
    const whose = credit === undefined ? 'paid credit' : 'that credit';
    throw new RpcError(
      'failed_precondition',
      `amount_nanos: takes more than the ${formatDollars(left)} USD left of ${whose}`,
    );
  }
  book.take(amount, isFirst);
}
