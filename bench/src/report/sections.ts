import type { FirstRequestsFigure } from './first-requests.ts';
import type { GrowthFigure } from './growth.ts';
import type { SoakFigure } from './soak.ts';
import { number, range, table } from './text.ts';

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

function count(value: number): string {
  return value.toLocaleString('en');
}
