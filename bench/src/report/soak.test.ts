import { expect, it } from 'vitest';
import type { SoakBucket } from '../measure/soak.ts';
import { summariseSoak } from './soak.ts';

const MIB = 2 ** 20;

function bucket(at: number, mib: number): SoakBucket {
  return {
    requests: 1_000,
    cpu: 300,
    proxyCpu: 100,
    p99: 5,
    memory: { ingress: mib * MIB },
    databaseBytes: 500 * 1_000 * at,
  };
}

it('finds what grows after the first third, and what does not', () => {
  const memory = [100, 150, 200, 200, 210, 205, 240, 250, 260];
  const figures = summariseSoak(memory.map((mib, at) => bucket(at, mib)));
  expect(figures.map(({ name, growth, verdict }) => [name, Number(growth.toFixed(2)), verdict])).toEqual([
    ['CPU per request', 1, 'flat'],
    ['CPU per request, to the bare proxy', 1, 'flat'],
    ['latency, p99', 1, 'flat'],
    ['memory, ingress', 1.22, 'grows'],
    ['database, bytes more per request', 1, 'flat'],
  ]);
});

it('takes what only grew while warming up as flat', () => {
  const memory = [100, 200, 300, 305, 300, 310, 305, 300, 310];
  const figures = summariseSoak(memory.map((mib, at) => bucket(at, mib)));
  expect(figures.find(({ name }) => name === 'memory, ingress')?.verdict).toBe('flat');
});
