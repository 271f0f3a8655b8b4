import { parseDollars } from '@tollgate/common/money';
import { createAccountWithKey } from './account-with-key.ts';

/**
 * Creates the account "Demo" of an evaluation with a credit in dollars (10 by default), unless an earlier run has, and
 * prints a new key for it and nothing else: `export TOLLGATE_KEY=$(node deploy/images/demo-key.ts CREDIT)`.
 */
const credit = parseDollars(process.argv[2] ?? '10');
if (credit === undefined || credit <= 0n)
  throw new Error('the credit must be a positive amount of dollars, such as 10');
const { key } = await createAccountWithKey('Demo', credit);
process.stdout.write(`${key}\n`);
