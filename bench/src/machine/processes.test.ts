import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cpuOf, cpuOfTree, residentBytesOf, threadTimeOf } from './processes.ts';

const proc = mkdtempSync(join(tmpdir(), 'tollgate-proc-'));
afterAll(() => rmSync(proc, { recursive: true }));

/** Ticks are user, kernel, then both of ended children. */
function addProcess(pid: number, parent: number, ticks: [number, number, number, number]): void {
  mkdirSync(join(proc, String(pid)));
  const stat = `${pid} (postgres: a) b) S ${parent} 1 1 0 -1 0 0 0 0 0 ${ticks.join(' ')} 20 0 1 0 9 9 9`;
  writeFileSync(join(proc, String(pid), 'stat'), stat);
  writeFileSync(join(proc, String(pid), 'status'), `Name:\tpostgres\nVmHWM:\t  900 kB\nVmRSS:\t  ${pid} kB\n`);
}

addProcess(1, 0, [1000, 1000, 1000, 1000]);
addProcess(20, 1, [10, 5, 100, 50]);
addProcess(21, 20, [3, 2, 0, 0]);
addProcess(22, 21, [1, 0, 4, 0]);
addProcess(30, 1, [500, 500, 0, 0]);
mkdirSync(join(proc, '99'));
mkdirSync(join(proc, 'sys'));

describe('a process', () => {
  it('has the time of its own threads', () => {
    expect(cpuOf(20, proc)).toBe(150_000);
  });

  it('has resident memory', () => {
    expect(residentBytesOf(21, proc)).toBe(21 * 1024);
  });

  it('has the time of its threads to the nanosecond', () => {
    for (const [task, nanos] of [
      ['21', 1_500_250],
      ['24', 500_000],
    ] as const) {
      const folder = join(proc, '21', 'task', task);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'schedstat'), `${nanos} 77 9\n`);
    }
    expect(threadTimeOf(21, proc)).toBe(2_000.25);
  });

  it('that is not there has none', () => {
    expect(() => cpuOf(7, proc)).toThrow();
    expect(() => cpuOfTree(7, proc)).toThrow();
    expect(() => residentBytesOf(7, proc)).toThrow();
  });
});

describe('a process with its descendants', () => {
  it('has the time of all of them, ended ones too, and of no other', () => {
    expect(cpuOfTree(20, proc)).toBe((15 + 150 + 5 + 1 + 4) * 10_000);
  });
});
