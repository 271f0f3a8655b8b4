import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitDeposit } from './split-deposit.ts';

const money = fc.bigInt({ min: 0n, max: 1_000n });

it('moves the entire amount, takes at most what is available, pays at most what is owed, and never leaves credit and debt', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -1_500n, max: 1_500n }).filter((amount) => amount !== 0n),
      money,
      fc.boolean(),
      (amount, has, owing) => {
        const account = owing ? { available: 0n, owed: has } : { available: has, owed: 0n };
        const split = splitDeposit(amount, account);
        const after = { available: account.available + split.available, owed: account.owed + split.owed };
        expect(after.available - after.owed).toBe(account.available - account.owed + amount);
        expect(after.available >= 0n && after.owed >= 0n).toBe(true);
        expect(after.available === 0n || after.owed === 0n).toBe(true);
        expect(split.shortfall).toBe(amount < 0n ? after.owed - account.owed : 0n);
      },
    ),
  );
});
