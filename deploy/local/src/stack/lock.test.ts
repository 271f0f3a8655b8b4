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
  it('lets one at a time use a folder', () => {
    const lock = lockData(folder);
    expect(() => lockData(folder)).toThrow(/already runs on this data.*TOLLGATE_DATA/);
    lock.release();
    const next = lockData(folder);
    // Released long ago: the folder is another's now.
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

  it('withdraws what other users could do in a folder that is there', () => {
    const folders = [folder, join(folder, 'journal')];
    mkdirSync(join(folder, 'journal'));
    for (const each of folders) chmodSync(each, 0o755);
    lockData(folder).release();
    expect(folders.map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
  });
});
