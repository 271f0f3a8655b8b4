import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { ApiKey, AuthServiceClient } from '@tollgate/proto/auth';
import {
  type Forecast,
  type KeyTotal,
  type ProjectTotal,
  UsageGroup,
  type UsageTotal,
} from '@tollgate/proto/console/accounts';
import {
  GetUsageRequest,
  type LedgerServiceClient,
  ListChargesRequest,
  UsageInterval,
  type UsageRow,
} from '@tollgate/proto/ledger';
import type { Dependencies } from '../dependencies.ts';
import { ApiError } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { refusalText } from '../lookups/refusal-text.ts';
import { readUsageRange } from '../paging/time-range.ts';
import { hasActiveKey, readKeys, seesKeys } from '../usage/account-keys.ts';
import { projectNames } from '../usage/account-projects.ts';
import { forecast, forecastStart } from '../usage/forecast.ts';
import { keysOverTime } from '../usage/keys-over-time.ts';
import { showRow, topGroups, topTags, totalOf } from '../usage/sums.ts';

const DAY_MS = 86_400_000;
const TOP = 10;
/** Keys whose tags are summed, those that spent most. */
const MOST_TAGGED = 1_000;

/** The handler of everything that the first page shows. */
export function overviewHandlers({ auth, ledger }: Dependencies) {
  return {
    getOverview: async ({ accountId, range: given, interval, groupBy, projectId, ownerId }, { role, rpc }) => {
      const isByKey = groupBy === UsageGroup.KEY;
      if (isByKey && !seesKeys(role))
        throw new ApiError('not_allowed', `The role ${role} does not see keys.`, { field: 'group_by' });
      const range = readUsageRange(given, interval);
      const options = await rpc();
      const nowMs = Date.now();
      const usage = GetUsageRequest.fromPartial({
        accountId,
        ...range,
        interval,
        projectIds: projectId === undefined ? [] : [projectId],
        ownerIds: ownerId === undefined ? [] : [ownerId],
      });
      const lastDays = { startMs: BigInt(forecastStart(nowMs)), endMs: BigInt(nowMs + 1) };
      const refused = { accountId, ...range, projectId: projectId ?? '', ownerId: ownerId ?? '' };
      const [balance, byModel, byKey, byProject, byDay, refusals, hasKey] = await Promise.all([
        unaryCall(ledger.getBalance.bind(ledger), { accountId }, options),
        readUsage(ledger, { ...usage, groupByModel: true }, options),
        seesKeys(role) ? readUsage(ledger, { ...usage, groupByKey: true, totals: true }, options) : [],
        readUsage(ledger, { ...usage, groupByProject: true, totals: true }, options),
        // The balance is the account's, so all of its spending counts.
        readUsage(
          ledger,
          { ...usage, ...lastDays, interval: UsageInterval.DAY, projectIds: [], ownerIds: [] },
          options,
        ),
        unaryCall(ledger.countRefusals.bind(ledger), refused, options),
        // Roles that do not see keys are not asked to create one.
        !seesKeys(role) || hasActiveKey(auth, accountId, options),
      ]);
      const total = totalOf(byModel);
      const ranked = topGroups(byKey, ({ keyId }) => [keyId], MOST_TAGGED);
      const keys = await readKeys(auth, { accountId, keyIds: ranked.map(({ group }) => group) }, options);
      const topKeys = ranked.slice(0, TOP);
      const keyIds = topKeys.map(({ group }) => group);
      const named = { ...usage, groupByKey: true, keyIds };
      return {
        range,
        balance,
        forecast: forecastOf(byDay, balance.availableNanos, nowMs),
        usage:
          isByKey && keyIds.length > 0
            ? keysOverTime(byModel, await readUsage(ledger, named, options))
            : byModel.map(showRow),
        total,
        models: topGroups(byModel, ({ model }) => [model], TOP).map((top) => ({ model: top.group, total: top.total })),
        keys: namedTotals(topKeys, keys),
        projects: await namedProjects(auth, accountId, byProject, options),
        tags: topTags(byKey, keys, TOP),
        refused: refusals.counts.map(({ reason, count }) => ({ reason, ...refusalText(reason), count })),
        hasKey,
        hasRequest: total.requests > 0n || (await hasRequest(ledger, accountId, options)),
      };
    },
  } satisfies Partial<Handlers>;
}

async function readUsage(
  ledger: LedgerServiceClient,
  request: Parameters<LedgerServiceClient['getUsage']>[0],
  options: UnaryCallOptions,
): Promise<UsageRow[]> {
  return (await unaryCall(ledger.getUsage.bind(ledger), request, options)).rows;
}

function forecastOf(byDay: readonly UsageRow[], availableNanos: bigint, nowMs: number): Forecast | undefined {
  const days = byDay.map(({ startMs, costNanos }) => ({ startMs: Number(startMs), nanos: costNanos }));
  const expected = forecast(days, availableNanos, nowMs);
  if (expected === undefined) return undefined;
  const { spentPerDayNanos, runsOutAtMs } = expected;
  return { spentPerDayNanos, runsOutAtMs: runsOutAtMs === undefined ? undefined : BigInt(runsOutAtMs) };
}

/** The keys that spent most, with their names. */
function namedTotals(topKeys: readonly { group: string; total: UsageTotal }[], keys: readonly ApiKey[]): KeyTotal[] {
  const known = new Map(keys.map((key) => [key.keyId, key]));
  return topKeys.map(({ group: keyId, total }) => {
    const key = known.get(keyId);
    return { keyId, name: key?.name ?? '', lastFour: key?.lastFour ?? '', total };
  });
}

/** The projects that spent most, with their names. */
async function namedProjects(
  auth: AuthServiceClient,
  accountId: string,
  rows: readonly UsageRow[],
  options: UnaryCallOptions,
): Promise<ProjectTotal[]> {
  const top = topGroups(rows, ({ projectId }) => [projectId], TOP);
  const names = await projectNames(
    auth,
    accountId,
    top.map(({ group }) => group),
    options,
  );
  return top.map(({ group: projectId, total }) => ({ projectId, name: names.get(projectId) ?? '', total }));
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
