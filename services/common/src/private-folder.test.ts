import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePrivateFolder } from './private-folder.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tollgate-private-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

it('creates a folder, and those above it, that no other user can enter', () => {
  const folder = join(parent, 'data', 'journal');
  makePrivateFolder(folder);
  expect([join(parent, 'data'), folder].map(modeOf)).toEqual([0o700, 0o700]);
});

it('takes from others what a folder of before and its files allowed them, and keeps what the user could do', () => {
  const folder = join(parent, 'data');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  for (const [name, mode] of [
    ['charges', 0o644],
    ['program', 0o755],
    ['kept', 0o400],
  ] as const) {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), mode);
  }
  makePrivateFolder(folder);
  expect(modeOf(folder)).toBe(0o700);
  expect(['charges', 'program', 'kept'].map((name) => modeOf(join(folder, name)))).toEqual([0o600, 0o700, 0o400]);
});

it('does not follow links out of the folder', () => {
  const folder = join(parent, 'data');
  mkdirSync(folder);
  const outside = join(parent, 'outside');
  writeFileSync(outside, '');
  chmodSync(outside, 0o644);
  symlinkSync(outside, join(folder, 'link'));
  makePrivateFolder(folder);
  expect(modeOf(outside)).toBe(0o644);
});

it('leaves a folder alone that several users share', () => {
  const folder = join(parent, 'shared');
  mkdirSync(folder);
  chmodSync(folder, 0o1777);
  makePrivateFolder(folder);
  expect(modeOf(folder)).toBe(0o777);
});
