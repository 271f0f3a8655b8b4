import type { Actor } from '@tollgate/common/actors/token';
import { RpcError } from '@tollgate/common/errors';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { RedeemVoucherResponse } from '@tollgate/proto/ledger';
import { type DepositInput, makeDeposit } from '../deposits/make-deposit.ts';
import { withRetries } from '../store/retry.ts';
import { DAY_MS } from '../store/time.ts';
import { claimVoucher, findVoucher } from '../store/vouchers.ts';
import { hashOfCode } from './code.ts';

/**
 * Credits an account with a voucher, in the transaction that uses it up: whoever else redeems it at the same time waits, and gets
 * nothing. For the same account, a repeated call returns the first result.
 *
 * @throws RpcError not_found: there is no such code, or it can no longer be redeemed, which is not told apart
 */
export async function redeemVoucher(
  pool: Pool,
  { accountId, code, actor }: { accountId: string; code: string; actor: Actor },
): Promise<RedeemVoucherResponse> {
  const voucher = await findVoucher(pool, hashOfCode(code));
  if (voucher === undefined) throw unknownCode();
  const { voucherId, amountNanos, reason, creditDays } = voucher;
  const endOf = (grantedAtMs: bigint) =>
    creditDays === 0 ? undefined : grantedAtMs + BigInt(creditDays) * BigInt(DAY_MS);
  const input: DepositInput = {
    accountId,
    kind: 'deposit',
    amountNanos,
    idempotencyKey: `voucher:${voucherId}`,
    reason,
    actor,
    lot: { kind: 'granted', priority: undefined, endsAtMs: undefined },
    claim: async (client, nowMs) => {
      if (!(await claimVoucher(client, { voucherId, accountId, nowMs }))) throw unknownCode();
      return endOf(nowMs);
    },
  };
  const { deposit } = await withRetries(() => makeDeposit(pool, input));
  return { amountNanos, endsAtMs: endOf(deposit.createdAtMs) ?? 0n };
}

function unknownCode(): RpcError {
  return new RpcError('not_found', 'code: there is no such voucher, or it can no longer be redeemed');
}
