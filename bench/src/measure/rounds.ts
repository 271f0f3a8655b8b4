import type { MeasuredWay, WayName } from './ways.ts';

/** What each way came to, round by round. */
export type Rounds<T> = Record<WayName, T[]>;

/**
 * Measures the ways in turn, round after round, so that what disturbs the machine disturbs all of them alike.
 *
 * @param measure is given the way and the number of the round, from 0
 */
export async function inTurn<T>(
  ways: readonly MeasuredWay[],
  rounds: number,
  measure: (way: MeasuredWay, round: number) => Promise<T>,
): Promise<Rounds<T>> {
  const results: Rounds<T> = { tollgate: [], proxy: [], upstream: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const way of ways) results[way.name].push(await measure(way, round));
  }
  return results;
}
