import type { Memory } from './memory.ts';
import type { Tally } from './run.ts';

/** The summary of a run. */
export function renderReport(tally: Tally, run: { seconds: number; warm: Memory; end: Memory }): string {
  const { requests, reached, delivered, estimated } = tally;
  return [
    `${requests} requests in ${run.seconds.toFixed(0)} s: ${reached} reached the upstream, ${delivered} were delivered and charged,`,
    `${estimated} of them by an estimate; ${tally.findingCount} findings.`,
    `Statuses: ${table(tally.statuses)}.`,
    `The upstream's answers: ${table(tally.modes)}.`,
    `Memory of the ingress when warm: ${memory(run.warm)}; at the end: ${memory(run.end)}.`,
  ].join('\n');
}

function table(counts: ReadonlyMap<string | number, number>): string {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function memory({ heapUsed, external, rss }: Memory): string {
  const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);
  return `${mebibytes(heapUsed)} + ${mebibytes(external)} MiB, ${mebibytes(rss)} MiB resident`;
}
