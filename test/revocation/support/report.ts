import type { World } from './world.ts';

/** The run in figures, for people. */
export function renderReport(world: World, seed: number, seconds: number): string {
  const { sent } = world.requests;
  const tally = (values: readonly string[]) =>
    [...Map.groupBy(values, (value) => value)]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([value, list]) => `${value} ${list.length}`)
      .join(', ');
  const unavailable = sent.filter(({ status }) => status === 503);
  return [
    `seed ${seed}, ${Math.round(seconds)} s`,
    `${sent.length} requests: ${tally(sent.map(({ ask }) => ask.kind))}`,
    `  answers: ${tally(sent.map(({ status }) => String(status ?? 'none')))}`,
    `  by ingress: ${tally(sent.map(({ ingress }) => ingress))}`,
    `  503 while connections to auth were disturbed: ${unavailable.length}`,
    `calls: ${[...world.operator.calls].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `disturbed: ${tally(world.disturbances.all.map(({ what }) => what))}; set back ${world.disturbances.restores.length} times`,
    `looks into Redis: ${tally(world.looks.map(({ found }) => found.kind))}`,
  ].join('\n');
}
