import { createHash } from 'node:crypto';
import { Refusal } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { Deposit } from '@tollgate/proto/ledger';
import { codeOf } from './retry.ts';
import type { DepositKindLabel } from './store/deposit-kind.ts';
import { ensureAccount } from './store/ensure-account.ts';
import { findDeposit } from './store/find-deposit.ts';
import { insertDeposit } from './store/insert-deposit.ts';
import { lockBalance } from './store/lock-balance.ts';

export interface DepositInput {
  accountId: string;
  kind: DepositKindLabel;
  amountNanos: bigint;
  idempotencyKey: string;
  reason: string;
}

const NUMERIC_VALUE_OUT_OF_RANGE = '22003';

/**
 * Credits or debits an account once per idempotency key.
 *
 * @throws Refusal already_exists: the key was used with another input; failed_precondition: the debit is larger than
 *   what is available, or the balance would leave the range of the ledger
 */
export async function makeDeposit(pool: Pool, input: DepositInput): Promise<{ deposit: Deposit; repeated: boolean }> {
  const inputHash = createHash('sha256')
    .update(JSON.stringify([input.kind, input.amountNanos.toString(), input.reason]))
    .digest();
  try {
    return await inTransaction(pool, async (client) => {
      await ensureAccount(client, input.accountId);
      const balance = await lockBalance(client, input.accountId);
      if (balance === undefined) throw new Error('an account that was just made is not there');
      const known = await findDeposit(client, input.accountId, input.idempotencyKey);
      if (known !== undefined) {
        if (known.inputHash.equals(inputHash)) return { deposit: known.deposit, repeated: true };
        throw new Refusal('already_exists', 'idempotency_key: was used with another input');
      }
      if (balance.available + input.amountNanos < 0n) {
        throw new Refusal(
          'failed_precondition',
          `amount_nanos: takes more than the ${formatDollars(balance.available)} USD available`,
        );
      }
      const ids = { depositId: newId(), transferId: newId() };
      const deposit = await insertDeposit(client, { ...input, ...ids, inputHash, nowMs: balance.nowMs });
      return { deposit, repeated: false };
    });
  } catch (error) {
    if (codeOf(error) !== NUMERIC_VALUE_OUT_OF_RANGE) throw error;
    throw new Refusal('failed_precondition', 'amount_nanos: the balance would become too large', { cause: error });
  }
}
