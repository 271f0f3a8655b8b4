import { createHash } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { readLeaked, sha256 } from './leaked.ts';

const KEY = 'sk-tollgate-ExamplThisIsAnExampleAndNotARealKey0000fNhRC';

afterEach(() => {
  vi.unstubAllGlobals();
});

it.each([KEY, ` ${KEY}\n`, `OPENAI_API_KEY="${KEY}"`, `{"authorization":"Bearer ${KEY}"}`])(
  'finds the key in %s',
  (text) => {
    expect(readLeaked(text)).toEqual({ kind: 'key', key: KEY, lastFour: 'NhRC' });
  },
);

it.each(['NhRC', ' …NhRC', '...NhRC'])('reads %s as the last four characters', (text) => {
  expect(readLeaked(text)).toEqual({ kind: 'last_four', lastFour: 'NhRC' });
});

it('does not guess', () => {
  expect(readLeaked('  ')).toEqual({ kind: 'empty' });
  expect(readLeaked(KEY.slice(0, -1))).toEqual({ kind: 'unreadable' });
  expect(readLeaked(`${KEY}0`)).toEqual({ kind: 'unreadable' });
  expect(readLeaked('ci-runner')).toEqual({ kind: 'unreadable' });
});

it('hashes as auth does', async () => {
  expect(await sha256(KEY)).toBe(createHash('sha256').update(KEY).digest('hex'));
});

it('returns no hash where the browser cannot compute one', async () => {
  vi.stubGlobal('crypto', {});
  expect(await sha256(KEY)).toBeUndefined();
});
