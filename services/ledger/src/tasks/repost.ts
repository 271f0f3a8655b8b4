import { taskActor } from '@tollgate/common/actors/task-actor';
import { commonSettings, loadConfig, postgresSettings } from '@tollgate/common/config';
import { formatDollars } from '@tollgate/common/money';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { runMain } from '@tollgate/common/run-main';
import { taskArguments } from '@tollgate/common/run-task';
import { SettleOutcome } from '@tollgate/proto/ledger';
import { z } from 'zod';
import { settings } from '../config.ts';
import { outcomeName } from '../settle/observe-settlement.ts';
import { repostQuarantined } from '../settle/repost-quarantined.ts';
import { listQuarantined, type QuarantineKey } from '../store/quarantined-charges.ts';
import { withRetries } from '../store/retry.ts';

/** Maximum charges that one run posts again. */
const MAX_REPOSTS = 100_000;

const { CHARGE_MAX_AGE_MS } = settings.shape;
const schema = z.object({ ...commonSettings, ...postgresSettings, CHARGE_MAX_AGE_MS });
const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(schema, env);

/**
 * Posts quarantined charges again, up to the available balance: `repost ACCOUNT REQUEST [CONTENT_HASH]`, or `repost --all`. Prints
 * one line of JSON for each, and ends with status 1 if any stays quarantined.
 */
runMain('ledger-repost', readConfig, async (config, logger) => {
  const pool = createPool({ url: config.DATABASE_URL, size: 2, applicationName: 'tollgate-ledger-repost' }, logger);
  try {
    const actor = taskActor(process.env);
    for (const key of await namedBy(pool, taskArguments())) {
      const reposted = await withRetries(() => repostQuarantined(pool, key, config.CHARGE_MAX_AGE_MS, actor));
      const { outcome, reason, costNanos, chargedNanos } = reposted;
      const amounts = { cost: formatDollars(costNanos), charged: formatDollars(chargedNanos) };
      const names = { account_id: key.accountId, request_id: key.requestId };
      process.stdout.write(`${JSON.stringify({ ...names, outcome: outcomeName(outcome), reason, ...amounts })}\n`);
      if (outcome === SettleOutcome.QUARANTINED) process.exitCode = 1;
    }
  } finally {
    await pool.end();
  }
});

async function namedBy(pool: Pool, [accountId, requestId, contentHash = '']: string[]): Promise<QuarantineKey[]> {
  if (accountId === '--all' && requestId === undefined) return listQuarantined(pool, '', undefined, MAX_REPOSTS);
  if (accountId === undefined || requestId === undefined) throw new Error('give an account and a request, or --all');
  return [{ accountId: accountId.toLowerCase(), requestId: requestId.toLowerCase(), contentHash }];
}
