import { minBigInt } from '@tollgate/common/money';

/** How a deposit changes the available balance and the debt, nano-dollars. */
export interface DepositSplit {
  /** Change of the available balance. */
  available: bigint;
  /** Change of the debt; negative when debt is paid. */
  owed: bigint;
  /** The part of a debit that exceeds the available balance. */
  shortfall: bigint;
}

/**
 * Splits an amount between the available balance and the debt: a credit pays debt first, a debit takes what is available
 * and owes the rest.
 *
 * @param amount not 0
 */
export function splitDeposit(amount: bigint, account: { available: bigint; owed: bigint }): DepositSplit {
  if (amount > 0n) {
    const paid = minBigInt(amount, account.owed);
    return { available: amount - paid, owed: -paid, shortfall: 0n };
  }
  const taken = minBigInt(-amount, account.available);
  const shortfall = -amount - taken;
  return { available: -taken, owed: shortfall, shortfall };
}
