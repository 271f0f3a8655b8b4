import { minBigInt } from '../store/min-big-int.ts';

/** What a deposit does to the customer's sides, nano-dollars. Their sum is the deposit's amount. */
export interface DepositSplit {
  /** What the available balance gains; negative where it loses. */
  available: bigint;
  /** What the account owes more; negative where debt is paid. */
  owed: bigint;
  /** What a debit could not take. */
  shortfall: bigint;
}

/**
 * Parts an amount between the available balance and the debt: a credit pays the debt first, a debit takes what is
 * available and owes the rest.
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
