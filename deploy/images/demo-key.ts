import { parseDollars } from '@tollgate/common/money';
import { makeAccountWithKey } from './account-with-key.ts';

/**
 * Creates the account "Demo" of an evaluation, with the dollars of its argument (10 by default) given once, and prints a new
 * key of it and nothing else: `export TOLLGATE_KEY=$(node deploy/images/demo-key.ts)`.
 */
const credit = parseDollars(process.argv[2] ?? '10');
if (credit === undefined || credit <= 0n) throw new Error('the credit must be a sum of dollars such as 10');
const { key } = await makeAccountWithKey('Demo', credit);
process.stdout.write(`${key}\n`);
