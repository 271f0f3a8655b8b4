import { idFloor } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { ProviderUsage } from '@tollgate/proto/ledger';
import { DAY_MS, MAX_START_SKEW_MS } from './time.ts';

type UsageRow = Record<'requests' | 'input_tokens' | 'cache_read_tokens' | 'output_tokens' | 'cost_nanos', bigint> & {
  deployment: string;
  model: string;
};

/**
 * Sums what accounts used of a provider on a day, by deployment and model. The bounds on the id limit what is read; the start
 * itself decides. A line's list price is its quantity times its list rate (the fifth item, if the account
 * paid another), in nano-dollars per million.
 */
export async function sumProviderUsage(
  db: Queryable,
  { accountIds, provider, dayMs }: { accountIds: readonly string[]; provider: string; dayMs: number },
): Promise<ProviderUsage[]> {
  const { rows } = await db.query<UsageRow>({
    name: 'sum-provider-usage',
    text: `
      SELECT deployment, model, count(*) AS requests,
             sum(input)::bigint AS input_tokens, sum(cache_read)::bigint AS cache_read_tokens,
             sum(output)::bigint AS output_tokens, sum(coalesce(upstream_cost_nanos, list))::bigint AS cost_nanos
      FROM unnest($1::uuid[]) AS a (account_id)
      JOIN ledger.charges c ON c.account_id = a.account_id AND c.request_id > $3 AND c.request_id < $4
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(quantity) FILTER (WHERE bucket = 'input' OR bucket LIKE 'cache\\_%'), 0) AS input,
               coalesce(sum(quantity) FILTER (WHERE bucket = 'cache_read'), 0) AS cache_read,
               coalesce(sum(quantity) FILTER (WHERE bucket IN ('output', 'reasoning')), 0) AS output,
               coalesce(round(sum(quantity * rate) / 1000000), 0) AS list
        FROM (SELECT line ->> 0 AS bucket, (line ->> 1)::numeric AS quantity, coalesce(line ->> 4, line ->> 2)::numeric AS rate
              FROM jsonb_array_elements(c.lines) AS e (line)) AS line
      ) AS metered
      WHERE provider = $2 AND started_at_ms >= $5 AND started_at_ms < $6
      GROUP BY deployment, model ORDER BY deployment, model`,
    values: [
      accountIds,
      provider,
      idFloor(dayMs - MAX_START_SKEW_MS),
      idFloor(dayMs + DAY_MS + MAX_START_SKEW_MS),
      dayMs,
      dayMs + DAY_MS,
    ],
  });
  return rows.map((row) => ({
    deployment: row.deployment,
    model: row.model,
    requests: row.requests,
    inputTokens: row.input_tokens,
    cacheReadTokens: row.cache_read_tokens,
    outputTokens: row.output_tokens,
    costNanos: row.cost_nanos,
  }));
}
