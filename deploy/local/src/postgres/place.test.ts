import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeOfPostgres } from './place.ts';

let top: string;
let shared: string;

function makeFolder(name: string, mode: number): string {
  const folder = join(top, name, 'data');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(join(top, name), mode);
  return folder;
}

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'tollgate-place-'));
  chmodSync(top, 0o755);
  shared = join(top, 'shared');
});
afterEach(() => rmSync(top, { recursive: true }));

describe('placeOfPostgres', () => {
  it('is the data folder, which root lets others pass through', () => {
    const folder = makeFolder('open', 0o755);
    expect(placeOfPostgres(folder, false, shared)).toBe(join(folder, 'postgres'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(placeOfPostgres(folder, true, shared)).toBe(join(folder, 'postgres'));
    expect(statSync(folder).mode & 0o777).toBe(0o701);
  });

  it('is elsewhere where others cannot enter, and stays there for as long as the data folder does', () => {
    const one = makeFolder('closed-one', 0o700);
    const two = makeFolder('closed-two', 0o700);
    const place = placeOfPostgres(one, true, shared);
    expect(place.startsWith(shared)).toBe(true);
    expect(placeOfPostgres(two, true, shared)).not.toBe(place);
    mkdirSync(place);
    expect(placeOfPostgres(one, true, shared)).toBe(place);

    rmSync(one, { recursive: true });
    placeOfPostgres(two, true, shared);
    expect(existsSync(place)).toBe(false);
  });
});
