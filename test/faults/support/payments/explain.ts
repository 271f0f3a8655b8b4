import type { World } from './world.ts';

const TABLES = ['payments.payments', 'payments.crossings', 'payments.movements', 'payments.refunds', 'ledger.deposits'];

/** Everything that Stripe and the services have of some accounts: a history depends on timing, so it cannot be told again. */
export async function explain({ control, pool, findings }: World, accountIds: readonly string[]): Promise<string> {
  const objects = control.objects();
  const intents = objects.payment_intents.filter(({ metadata }) =>
    accountIds.includes(metadata['tollgate_account'] ?? ''),
  );
  const isTheirs = ({ payment_intent }: { payment_intent: unknown }) => intents.some(({ id }) => id === payment_intent);
  const lines: unknown[] = [
    ...intents,
    ...objects.refunds.filter(isTheirs),
    ...objects.disputes.filter(isTheirs),
    ...findings,
  ];
  for (const table of TABLES) {
    const { rows } = await pool.query<{ row: unknown }>(
      `SELECT to_jsonb(t) || jsonb_build_object('table', $2::text) AS row FROM ${table} t WHERE account_id = ANY($1::uuid[])`,
      [accountIds, table],
    );
    lines.push(...rows.map(({ row }) => row));
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
