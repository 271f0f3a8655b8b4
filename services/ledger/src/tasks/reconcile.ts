import { taskActor } from '@tollgate/common/actors/task-actor';
import { insertAudit } from '@tollgate/common/audit/audit-log';
import { commonSettings, loadConfig, postgresSettings } from '@tollgate/common/config';
import { createPool, inTransaction } from '@tollgate/common/postgres/pool';
import { runMain } from '@tollgate/common/run-main';
import { z } from 'zod';
import { reconcile } from '../reconcile/reconcile.ts';

const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(z.object({ ...commonSettings, ...postgresSettings }), env);

/** Checks that all books agree, and prints the rows that do not; ends with status 1 if there are any. */
runMain('ledger-reconcile', readConfig, async (config, logger) => {
  const pool = createPool({ url: config.DATABASE_URL, size: 2, applicationName: 'tollgate-ledger-reconcile' }, logger);
  try {
    const report = await reconcile(pool, { budgetMs: Number.POSITIVE_INFINITY, pass: 'new' });
    const { beganMs, findings, findingsTotal, charges, transfers, accounts } = report;
    const details = { complete: String(report.complete), findings: String(findingsTotal) };
    const entry = { accountId: undefined, action: 'ledger.reconcile', targetId: '', targetName: '', details };
    await inTransaction(pool, (client) => insertAudit('ledger', client, taskActor(process.env), entry));
    const until = new Date(beganMs).toISOString();
    const figures = { until, charges, transfers, accounts, findings_total: findingsTotal };
    process.stdout.write(`${JSON.stringify({ ...figures, findings }, null, 2)}\n`);
    if (findingsTotal > 0) process.exitCode = 1;
  } finally {
    await pool.end();
  }
});
