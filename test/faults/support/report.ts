import type { Death } from '@tollgate/test-support/load/killer';
import type { Sent } from '@tollgate/test-support/load/sent';

export interface RunReport {
  seed: number;
  seconds: number;
  deaths: readonly Death[];
  replays: number;
  sent: readonly Sent[];
  charges: number;
  looks: number;
  reconnects: number;
  lowest: bigint | undefined;
  deposits: number;
  repeatedDeposits: number;
}

/** The summary of a run. */
export function renderReport(run: RunReport): string {
  const tally = (values: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([value, count]) => `${value} ${count}`);
  };
  const rounds = tally(run.deaths.map((death) => death.kind));
  const how = (one: Sent) => `${one.client} ${one.protocol} ${one.streamed ? 'streamed' : 'buffered'}`;
  return [
    `seed ${run.seed}, ${Math.round(run.seconds)} s`,
    `${run.deaths.length} kills: ${tally(run.deaths.map((death) => death.name)).join(', ')}`,
    ...rounds.map((line) => `  ${line}`),
    `journals settled again: ${run.replays} segments`,
    `${run.sent.length} requests: ${tally(run.sent.map((one) => one.outcome)).join(', ')}`,
    `  responses by status: ${tally(run.sent.map((one) => String(one.status ?? 'none'))).join(', ')}`,
    `  completed by client: ${tally(run.sent.filter((one) => one.outcome === 'completed').map(how)).join(', ')}`,
    `${run.charges} charges; ${run.deposits} payments, sent again ${run.repeatedDeposits} times`,
    `books looked at ${run.looks} times over ${run.reconnects + 1} connections; lowest balance ${run.lowest} nano-dollars`,
  ].join('\n');
}
