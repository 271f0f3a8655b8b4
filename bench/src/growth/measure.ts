import { measureSettling } from '../ledger/measure.ts';
import { ledgerOptions } from '../ledger/options.ts';
import { measureRound } from '../measure/round.ts';
import type { Routes } from '../measure/routes.ts';
import { type MeasuredScenario, measureScenario, type RunOptions } from '../measure/run.ts';
import { withTollgate } from '../measure/with-tollgate.ts';
import { createKeyOf } from '../parts/accounts.ts';
import type { Common } from '../parts/common.ts';
import type { Stops } from '../parts/stops.ts';
import type { Tollgate } from '../parts/tollgate.ts';
import { ACCOUNTS } from '../plan.ts';
import { COLD_KEYS, type Scenario, SMALL_CHAT } from '../scenarios.ts';
import { loadCharges } from './load-charges.ts';
import { KeyLoader, type LoadedKey } from './load-keys.ts';
import { measureReads } from './reads.ts';

/** Requests with a key each that the ingress has not seen, and those before them that are not measured. */
const OTHER_KEYS = 800;
const OTHER_KEYS_WARM_UP = 200;
const SETTLE_ROUNDS = 2;

/** One figure at one size of the data. */
export interface GrowthPoint {
  of: 'keys' | 'charges';
  size: number;
  name: string;
  unit: 'us' | 'ms' | '1/s';
  /** By round. */
  values: number[];
  /** The bare proxy's in the same rounds, which tell how fast the machine was. */
  proxy?: number[] | undefined;
}

/** Measures the same with more and more keys and charges, each number of charges in a Tollgate of its own. */
export async function measureGrowth(stops: Stops, common: Common, options: RunOptions): Promise<GrowthPoint[]> {
  const points: GrowthPoint[] = [];
  for (const charges of options.plan.storedCharges) {
    options.report(`with ${charges} charges in the ledger`);
    let historyOf: string | undefined;
    const prepare =
      charges === 0
        ? undefined
        : async ({ facts }: Tollgate['stack']) => {
            historyOf = await loadCharges(facts.database_url, charges);
          };
    await withTollgate(stops, common, { spans: 'sampled', prepare }, async (tollgate, routes) => {
      points.push(...(await measureAt(charges, historyOf, tollgate, routes, options)));
    });
  }
  return points;
}

async function measureAt(
  charges: number,
  historyOf: string | undefined,
  tollgate: Tollgate,
  routes: Routes,
  options: RunOptions,
): Promise<GrowthPoint[]> {
  const { load, plan, report } = options;
  const { stack, route } = tollgate;
  const warmUp = { durationMs: plan.warmUpMs / 2, round: 0, halfLoad: 0 };
  await measureRound(load, routes.gateway, SMALL_CHAT, warmUp);
  const chat = await measureChat(SMALL_CHAT, routes, options);
  const own = route.route.keys[0] ?? '';
  const reader = historyOf === undefined ? own : await createKeyOf(stack.facts.grpc, historyOf);
  report('calls of the billing API');
  const reads = await measureReads(route.route.origin, reader, Date.now());
  const keys = charges === plan.storedCharges[0] ? await measureKeys(tollgate, chat, routes, options) : [];
  report('charges through the ledger');
  const settling = { rounds: SETTLE_ROUNDS, charges: plan.ledgerCharges / 2 };
  const settled = await measureSettling({ ...ledgerOptions(tollgate, plan), ...settling });
  const at = { of: 'charges', size: charges } as const;
  return [
    ...keys,
    ...pointsOf(at, chat),
    { ...at, name: 'charges settled per second', unit: '1/s', values: settled },
    ...Object.entries(reads).map(([name, { p50 }]) => ({
      ...at,
      name: `${name}, p50`,
      unit: 'ms' as const,
      values: [p50],
    })),
  ];
}

/** The small chat, with more and more keys that are known: with the same keys, and with others each. */
async function measureKeys(
  tollgate: Tollgate,
  first: MeasuredScenario,
  routes: Routes,
  options: RunOptions,
): Promise<GrowthPoint[]> {
  const { plan, report } = options;
  const { database_url: database, redis_url: redis } = tollgate.stack.facts;
  const loader = await KeyLoader.open(database, redis, tollgate.route.route.keys);
  const points: GrowthPoint[] = [];
  let known = ACCOUNTS;
  try {
    for (const size of plan.knownKeys) {
      report(`with ${size} keys`);
      const at = { of: 'keys', size } as const;
      const loaded = await loader.insert(size - known, Math.min(size - known, plan.keysInRedis + OTHER_KEYS));
      known = size;
      const isSmallest = size === plan.knownKeys[0];
      points.push(...pointsOf(at, isSmallest ? first : await measureChat(SMALL_CHAT, routes, options)));
      if (isSmallest) continue;
      const inRedis = loaded.slice(OTHER_KEYS);
      await loader.resolve(inRedis);
      for (const [where, some] of [
        ['Redis', evenly(inRedis, OTHER_KEYS)],
        ['auth', loaded.slice(0, OTHER_KEYS)],
      ] as const) {
        const scenario = { ...COLD_KEYS, title: `${COLD_KEYS.title}, found by ${where}` };
        points.push(...pointsOf(at, await measureOtherKeys(scenario, some, routes, options)));
      }
    }
    return points;
  } finally {
    await loader.close();
  }
}

function evenly<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, index) => index % step === 0).slice(0, count);
}

function measureChat(scenario: Scenario, routes: Routes, options: RunOptions): Promise<MeasuredScenario> {
  const { growthRounds: rounds, growthMs: durationMs } = options.plan;
  return measureScenario(routes, scenario, { ...options, rounds, durationMs });
}

async function measureOtherKeys(
  scenario: Scenario,
  keys: readonly LoadedKey[],
  routes: Routes,
  options: RunOptions,
): Promise<MeasuredScenario> {
  const { gateway } = routes;
  const withKeys = (some: readonly LoadedKey[]) => ({
    ...gateway,
    route: { ...gateway.route, keys: some.map(({ text }) => text) },
  });
  const warmUp = { durationMs: options.plan.growthMs, round: 0, halfLoad: 0, requests: OTHER_KEYS_WARM_UP };
  await measureRound(options.load, withKeys(keys.slice(0, OTHER_KEYS_WARM_UP)), scenario, warmUp);
  const measured = keys.slice(OTHER_KEYS_WARM_UP);
  return measureScenario({ ...routes, gateway: withKeys(measured) }, scenario, {
    ...options,
    rounds: 1,
    durationMs: options.plan.growthMs,
    requests: measured.length,
    warmUpMs: 0,
  });
}

function pointsOf(at: Pick<GrowthPoint, 'of' | 'size'>, { scenario, rounds }: MeasuredScenario): GrowthPoint[] {
  const { title } = scenario;
  const { gateway, proxy } = rounds;
  return [
    {
      ...at,
      name: `${title}: CPU per request`,
      unit: 'us',
      values: gateway.map(({ cpu }) => cpu),
      proxy: proxy.map(({ cpu }) => cpu),
    },
    ...(['p50', 'p99'] as const).map((quantile) => ({
      ...at,
      name: `${title}: latency, ${quantile}`,
      unit: 'ms' as const,
      values: gateway.map(({ latency }) => latency[quantile]),
      proxy: proxy.map(({ latency }) => latency[quantile]),
    })),
  ];
}
