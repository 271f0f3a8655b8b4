import type { DisturbanceKind } from './disturbances.ts';
import { forbiddenFor, mayBeUnavailable } from './judge.ts';
import { findingsOf, GRACE_MS } from './run.ts';
import type { World } from './world.ts';

/** Requests that start this soon after the call are counted separately: not every process may know of the change yet. */
const AT_ONCE_MS = 100;

/** A summary of the run in figures. */
export function renderReport(world: World, seed: number, seconds: number): string {
  const { disturbances, looks, operator } = world;
  const { sent } = world.requests;
  const forbidden = sent.map(forbiddenFor).filter((ms) => ms !== undefined);
  const atOnce = forbidden.filter((ms) => ms <= AT_ONCE_MS).length;
  const unavailable = sent.filter(({ status }) => status === 503).length;
  const excused = sent.filter((one) => mayBeUnavailable(one, disturbances, GRACE_MS)).length;
  const restarts = disturbances.all.filter(({ kind }) => kind === 'restarted').length;
  const of = (kind: DisturbanceKind) => disturbances.all.filter((one) => one.kind === kind).map(({ what }) => what);
  const onLinks = disturbances.all.filter(({ what }) => what.includes('>'));
  const cuts = onLinks.filter(({ kind }) => kind === 'cut');
  return [
    `seed ${seed}, ${Math.round(seconds)} s`,
    `${sent.length} requests: ${tally(sent.map(({ ask }) => ask.kind))}`,
    `  responses: ${tally(sent.map(({ status }) => String(status ?? 'none')))}`,
    `  by ingress: ${tally(sent.map(({ ingress }) => ingress))}`,
    `  ${forbidden.length} began after a call had returned that forbade them, ${atOnce} of them within ${AT_ONCE_MS} ms`,
    `  ${unavailable} got 503, expected for ${excused} and unexpected for ${sent.length - excused}`,
    `calls: ${[...operator.calls].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `connections disturbed: ${tally(onLinks.map(({ kind }) => kind))}; cut: ${tally(cuts.map(({ what }) => what))}`,
    `Redis: emptied ${disturbances.flushes} times, restarted ${restarts} times, ${disturbances.restores.length} of them with an old dump`,
    `killed: ${tally(of('killed'))}; moved: ${tally(of('clock moved'))}`,
    `looks into Redis: ${tally(looks.map(({ found }) => found))}`,
    `promises broken: ${findingsOf(world).length}`,
  ].join('\n');
}

function tally(values: readonly string[]): string {
  return [...Map.groupBy(values, (value) => value)]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([value, list]) => `${value} ${list.length}`)
    .join(', ');
}
