import type { CapPeriodLabel } from '@tollgate/common/cap-periods';
import type { PoolClient } from '@tollgate/common/postgres/pool';
import { capKey, type KeyDay } from '../settle/sum-caps.ts';
import { arrayText } from './array-text.ts';

/** Which caps of these keys exist, of the days and months given and in total, by capKey. */
export async function readCaps(client: PoolClient, keyDays: readonly KeyDay[]): Promise<Set<string>> {
  const { rows } = await client.query<{ account_id: string; key_id: string; period: CapPeriodLabel; start_ms: bigint }>(
    {
      name: 'read-caps',
      text: `
      SELECT c.account_id::text, c.key_id::text, c.period, c.period_start_ms AS start_ms
      FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) AS w (account_id, key_id, day_ms, month_ms)
      CROSS JOIN LATERAL (VALUES
        ('day'::ledger.cap_period, w.day_ms), ('month', w.month_ms), ('total', 0)
      ) AS p (period, start_ms)
      JOIN ledger.caps c ON c.account_id = w.account_id AND c.key_id = w.key_id
        AND c.period = p.period AND c.period_start_ms = p.start_ms`,
      values: [
        arrayText(keyDays.map((key) => key.accountId)),
        arrayText(keyDays.map((key) => key.keyId)),
        arrayText(keyDays.map((key) => key.dayMs)),
        arrayText(keyDays.map((key) => key.monthMs)),
      ],
    },
  );
  return new Set(
    rows.map((row) =>
      capKey({
        accountId: row.account_id,
        keyId: row.key_id,
        period: row.period,
        startMs: Number(row.start_ms),
      }),
    ),
  );
}
