import { parseDollars } from '@tollgate/common/money';
import { createAccountWithKey } from './account-with-key.ts';

/**
 * Creates the account "Demo" of an evaluation with a credit in dollars (10 by default), unless an earlier run has, and
 * prints a new key for it and nothing else: `export TOLLGATE_KEY=$(node deploy/images/demo-key.ts CREDIT)`.
 */
const credit = parseDollars(process.argv[2] ?? '10');
if (credit === undefined || credit <= 0n) {
  process.stderr.write('The credit must be a positive amount of dollars, such as 10.\n');
  process.exit(1);
}
const { accountId, key, hasOtherCredit } = await createAccountWithKey('Demo', credit);
if (hasOtherCredit) {
  process.stderr.write(
    'The account Demo already has a credit of another amount, and gets no more. ' +
      `To add credit: tollgate deposits create ${accountId} --amount DOLLARS --reason TEXT\n`,
  );
}
process.stdout.write(`${key}\n`);
