import type { MeasuredRoute, RouteName } from './routes.ts';

/** Results by route and round. */
export type Rounds<T> = Record<RouteName, T[]>;

/**
 * Measures the routes alternately, in rounds, so that disturbances of the machine affect all of them alike.
 *
 * @param measure receives the route and the number of the round, from 0
 */
export async function inTurn<T>(
  routes: readonly MeasuredRoute[],
  rounds: number,
  measure: (route: MeasuredRoute, round: number) => Promise<T>,
): Promise<Rounds<T>> {
  const results: Rounds<T> = { tollgate: [], proxy: [], upstream: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const route of routes) results[route.name].push(await measure(route, round));
  }
  return results;
}
