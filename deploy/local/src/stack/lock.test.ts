import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockData } from './lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('lockData', () => {
  it('gives a folder to one process at a time', () => {
    const lock = lockData(folder);
    expect(() => lockData(folder)).toThrow(/already runs on this data.*TOLLGATE_DATA/);
    lock.release();
    const next = lockData(folder);
    // Released earlier: the folder has another owner now.
    lock.release();
    expect(() => lockData(folder)).toThrow(/already runs/);
    next.release();
  });

  it.each([
    ['a process that is gone', '999999999 1'],
    ['another process that was given the same id', `${process.pid} 1`],
    ['half a write', ''],
  ])('takes over what %s left', (_, content) => {
    writeFileSync(join(folder, 'lock'), content);
    lockData(folder).release();
  });

  it("revokes other users' access to an existing folder", () => {
    const folders = [folder, join(folder, 'journal')];
    mkdirSync(join(folder, 'journal'));
    for (const each of folders) chmodSync(each, 0o755);
    lockData(folder).release();
    expect(folders.map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
  });
});
