import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CredentialReference } from '@tollgate/proto/router';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialReader } from './credentials.ts';

let folder: string;
let nowMs: number;
let reader: CredentialReader;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-credentials-'));
  nowMs = 0;
  reader = new CredentialReader({ OPENAI_API_KEY: 'from-env', EMPTY_KEY: '' }, () => nowMs);
});
afterEach(() => rmSync(folder, { recursive: true }));

const variable = (value: string): CredentialReference => ({ source: { $case: 'environmentVariable', value } });
const file = (name: string): CredentialReference => ({ source: { $case: 'file', value: join(folder, name) } });

/** Changes a mounted secret as Kubernetes does: a new directory with all files replaces the previous one atomically. */
function mount(version: number, openai: string): void {
  mkdirSync(join(folder, `${version}`));
  writeFileSync(join(folder, `${version}`, 'openai'), openai);
  utimesSync(join(folder, `${version}`, 'openai'), version, version);
  symlinkSync(`${version}`, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
}

describe('credentials', () => {
  it('of a mounted secret are read again within a second of a change', () => {
    mount(1, 'old\n');
    symlinkSync('..data/openai', join(folder, 'openai'));
    expect(reader.read(file('openai'))).toEqual({ kind: 'found', value: 'old' });
    mount(2, 'new\n');
    nowMs += 1_000;
    expect(reader.read(file('openai'))).toEqual({ kind: 'found', value: 'new' });
  });

  it('are missing once their file is deleted, empty or too large', () => {
    writeFileSync(join(folder, 'key'), 'here');
    expect(reader.read(file('key'))).toMatchObject({ kind: 'found' });
    unlinkSync(join(folder, 'key'));
    nowMs += 1_000;
    expect(reader.read(file('key'))).toMatchObject({ kind: 'missing' });
    writeFileSync(join(folder, 'empty'), '\n');
    expect(reader.read(file('empty'))).toMatchObject({ kind: 'missing', detail: expect.stringContaining('is empty') });
    writeFileSync(join(folder, 'large'), 'x'.repeat(20_000));
    expect(reader.read(file('large'))).toMatchObject({ kind: 'missing' });
  });

  it('of variables are found if they are set and not empty', () => {
    expect(reader.read(variable('OPENAI_API_KEY'))).toEqual({ kind: 'found', value: 'from-env' });
    for (const name of ['EMPTY_KEY', 'NO_KEY']) expect(reader.read(variable(name))).toMatchObject({ kind: 'missing' });
  });
});
