import { parseDollars } from '@tollgate/common/money';
import { taskArguments } from '@tollgate/common/run-task';
import { createAccountWithKey } from './account-with-key.ts';

/**
 * Creates the account "Demo" of an evaluation with a credit in dollars (10 by default), unless an earlier run has, and
 * prints a new key for it and nothing else: `export TOLLGATE_KEY=$(… demo-key CREDIT)`.
 */
async function printDemoKey([given = '10']: string[]): Promise<void> {
  const credit = parseDollars(given);
  if (credit === undefined || credit <= 0n) {
    process.stderr.write('The credit must be a positive amount of dollars, such as 10.\n');
    process.exitCode = 1;
    return;
  }
  const { key, hasOtherCredit } = await createAccountWithKey('Demo', credit);
  if (hasOtherCredit) {
    process.stderr.write('The account Demo already has a credit of another amount, and gets no more.\n');
  }
  process.stdout.write(`${key}\n`);
}

void printDemoKey(taskArguments());
