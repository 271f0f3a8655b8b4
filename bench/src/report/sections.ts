import type { FirstRequestsFigure } from './first-requests.ts';
import type { GrowthFigure } from './growth.ts';
import type { SlowReadingResults } from './slow-readers.ts';
import type { SoakFigure } from './soak.ts';
import { number, range, signed, table } from './text.ts';

/** Each section is a list of lines that ends with an empty one; empty if nothing was measured. */

/** The ingress's CPU time for its first requests. */
export function renderFirstRequests(figures: readonly FirstRequestsFigure[]): string[] {
  if (figures.length === 0) return [];
  const rows = figures.map((figure) => [
    `${count(figure.from)} to ${count(figure.to)}`,
    `${number(figure.cpu_us.median)} us (${range(figure.cpu_us)})`,
    `${number(figure.to_warm)} x`,
  ]);
  return [...table(['first requests of an ingress', 'CPU, ingress', 'to a warm one'], rows), ''];
}

/** Figures with more and more keys and charges. */
export function renderGrowth(figures: readonly GrowthFigure[]): string[] {
  if (figures.length === 0) return [];
  const rows = figures.map(({ of, size, name, value, unit, smallest, growth, verdict: found }) => [
    `${count(size)} ${of}: ${name}`,
    `${number(value.median)} ${unit}`,
    growth === null ? '' : `${number(growth)} x that of ${count(smallest)}`,
    found ?? '',
  ]);
  return [...table(['growth', 'gateway', 'to the smallest', ''], rows), ''];
}

/** Figures of a long constant load over time. */
export function renderSoak(figures: readonly SoakFigure[]): string[] {
  if (figures.length === 0) return [];
  const rows = figures.map(({ name, unit, values, growth, verdict: found }) => [
    `${name}, ${unit}`,
    values.map(number).join(', '),
    `${number(growth)} x`,
    found,
  ]);
  return [...table(['an hour of load', 'by part of the hour', 'last third to the second', ''], rows), ''];
}

/** Clients that read a byte a second. */
export function renderSlowReaders(results: SlowReadingResults | null): string[] {
  if (results === null) return [];
  const { readers, others, cut_by_gateway: cut } = results;
  const rows = [
    [
      'memory of the ingress, MiB',
      number(results.ingress_idle_mib),
      number(results.ingress_peak_mib),
      signed(results.ingress_peak_mib - results.ingress_idle_mib),
    ],
    ...(
      [
        ['CPU per request of others, us', others.cpu_us],
        ['latency of others, p50, ms', others.p50_ms],
        ['latency of others, p99, ms', others.p99_ms],
      ] as const
    ).map(([name, { without, with: beside, more }]) => [
      name,
      number(without.median),
      number(beside.median),
      `${signed(more.median)} (${signed(more.min)} to ${signed(more.max)})`,
    ]),
  ];
  const ends =
    cut === null
      ? 'The gateway cuts such clients after 60 seconds; here they left before.'
      : `The gateway had cut ${count(cut)} of them within 90 seconds.`;
  return [
    ...table([`${count(readers)} clients that read a byte a second`, 'without', 'with (peak)', 'more (rounds)'], rows),
    '',
    `Of the 100 MB of each response, ${number(results.sent_each_mib)} MiB left the upstream, into buffers of the gateway and the system. ${ends}`,
    '',
  ];
}

function count(value: number): string {
  return value.toLocaleString('en');
}
