import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { formatDollars } from '@tollgate/common/money';
import type { ApiKey, AuthServiceClient } from '@tollgate/proto/auth';
import { type LedgerServiceClient, ListChargesRequest, UsageInterval, type UsageRow } from '@tollgate/proto/ledger';
import { ApiError } from '../../http/api-error.ts';
import type { Handler } from '../../http/handler.ts';
import { renderRange } from '../../paging/time-range.ts';
import { renderBalance } from '../../render/balance.ts';
import { renderRefusalReason } from '../../render/refusal-reason.ts';
import { renderUsageRow } from '../../render/usage.ts';
import { hasActiveKey, readKeys, seesKeys } from '../../usage/account-keys.ts';
import { forecast, forecastStart } from '../../usage/forecast.ts';
import { INTERVALS, readUsageRange } from '../../usage/intervals.ts';
import { renderKeysOverTime } from '../../usage/keys-over-time.ts';
import { renderTotal, topGroups, topTags, totalOf, type UsageTotal } from '../../usage/sums.ts';

const DAY_MS = 86_400_000;
const TOP = 10;
/** Keys whose tags are summed, those that spent most. */
const MOST_TAGGED = 1_000;

interface OverviewDependencies {
  auth: AuthServiceClient;
  ledger: LedgerServiceClient;
}

/** Everything that the first page shows, in one call. */
export function createGetOverviewHandler(deps: OverviewDependencies): Handler<'GET /accounts/{account_id}/overview'> {
  return async ({ path, query, role, rpc }) => {
    const accountId = path.account_id;
    if (query.group_by === 'key' && !seesKeys(role))
      throw new ApiError('not_allowed', `The role ${role} does not see keys.`, { field: 'group_by' });
    const range = readUsageRange(query);
    const options = await rpc();
    const nowMs = Date.now();
    const { auth, ledger } = deps;
    const usage = { accountId, ...range, interval: INTERVALS[query.interval], keyIds: [] };
    const lastDays = { startMs: BigInt(forecastStart(nowMs)), endMs: BigInt(nowMs + 1) };
    const [balance, byModel, byKey, byDay, refusals, hasKey] = await Promise.all([
      unaryCall(ledger.getBalance.bind(ledger), { accountId }, options),
      readUsage(ledger, { ...usage, groupByModel: true, groupByKey: false }, options),
      seesKeys(role)
        ? readUsage(ledger, { ...usage, groupByModel: false, groupByKey: true, totals: true }, options)
        : [],
      readUsage(
        ledger,
        { ...usage, ...lastDays, interval: UsageInterval.DAY, groupByModel: false, groupByKey: false },
        options,
      ),
      unaryCall(ledger.countRefusals.bind(ledger), { accountId, ...range }, options),
      // Roles that do not see keys are not asked to create one.
      !seesKeys(role) || hasActiveKey(auth, accountId, options),
    ]);
    const total = totalOf(byModel);
    const ranked = topGroups(byKey, ({ keyId }) => [keyId], MOST_TAGGED);
    const keys = await readKeys(auth, { accountId, keyIds: ranked.map(({ group }) => group) }, options);
    const topKeys = ranked.slice(0, TOP);
    const keyIds = topKeys.map(({ group }) => group);
    const named = { ...usage, groupByModel: false, groupByKey: true, keyIds };
    return {
      range: renderRange(range),
      balance: renderBalance(balance),
      forecast: renderForecast(byDay, balance.availableNanos, nowMs),
      usage:
        query.group_by === 'key' && keyIds.length > 0
          ? renderKeysOverTime(byModel, await readUsage(ledger, named, options))
          : byModel.map(renderUsageRow),
      total: renderTotal(total),
      models: topGroups(byModel, ({ model }) => [model], TOP).map(({ group, total: sum }) => ({
        model: group,
        ...renderTotal(sum),
      })),
      keys: renderTopKeys(topKeys, keys),
      tags: topTags(byKey, keys, TOP),
      refused: refusals.counts.map(({ reason, count }) => ({
        reason,
        ...renderRefusalReason(reason),
        count: Number(count),
      })),
      has_key: hasKey,
      has_request: total.requests > 0 || (await hasRequest(ledger, accountId, options)),
    };
  };
}

async function readUsage(
  ledger: LedgerServiceClient,
  request: Parameters<LedgerServiceClient['getUsage']>[0],
  options: UnaryCallOptions,
): Promise<UsageRow[]> {
  return (await unaryCall(ledger.getUsage.bind(ledger), request, options)).rows;
}

function renderForecast(byDay: readonly UsageRow[], availableNanos: bigint, nowMs: number) {
  const days = byDay.map(({ startMs, costNanos }) => ({ startMs: Number(startMs), nanos: costNanos }));
  const expected = forecast(days, availableNanos, nowMs);
  if (expected === undefined) return null;
  const { spentPerDayNanos, runsOutAtMs } = expected;
  return {
    spent_per_day: formatDollars(spentPerDayNanos),
    runs_out_at: runsOutAtMs === undefined ? null : new Date(runsOutAtMs).toISOString(),
  };
}

/** The keys that spent most, with their names. */
function renderTopKeys(topKeys: readonly { group: string; total: UsageTotal }[], keys: readonly ApiKey[]) {
  const known = new Map(keys.map((key) => [key.keyId, key]));
  return topKeys.map(({ group: keyId, total }) => {
    const key = known.get(keyId);
    return { key_id: keyId, name: key?.name ?? '', last_four: key?.lastFour ?? '', ...renderTotal(total) };
  });
}

/** Whether the account ever had a request, by its newest charge. */
async function hasRequest(ledger: LedgerServiceClient, accountId: string, options: UnaryCallOptions): Promise<boolean> {
  const request = ListChargesRequest.fromPartial({
    accountId,
    startMs: 0n,
    endMs: BigInt(Date.now() + DAY_MS),
    limit: 1,
  });
  return (await unaryCall(ledger.listCharges.bind(ledger), request, options)).charges.length > 0;
}
