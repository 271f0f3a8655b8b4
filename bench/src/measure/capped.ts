import { createCappedKeys } from '../parts/capped-keys.ts';
import type { Tollgate } from '../parts/tollgate.ts';
import { ACCOUNTS } from '../plan.ts';
import { CAPPED } from '../scenarios.ts';
import type { Routes } from './routes.ts';
import { type MeasuredScenario, measureScenario, type RunOptions } from './run.ts';

/** Requests whose path has six nodes of two caps each, compared with requests of keys without caps. */
export async function measureCapped(
  { stack, route }: Tollgate,
  routes: Routes,
  options: RunOptions,
): Promise<MeasuredScenario> {
  const keys = await createCappedKeys(stack.facts.grpc, stack.facts.base_url, ACCOUNTS);
  const gateway = { ...route, route: { ...route.route, keys } };
  const proxy = { ...route, name: 'proxy' as const };
  return measureScenario({ ...routes, gateway, proxy }, CAPPED, { ...options, warmUpMs: options.plan.warmUpMs });
}
