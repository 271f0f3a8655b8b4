import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountTagOf, keyPrefix, newAccountTag, newKey } from './key-text.ts';

const PREFIX = keyPrefix('tollgate');

let page: string;
let folder: string;
let isWellFormed: (key: string) => unknown;

/** The one block of the page in a language. */
function block(language: string): string {
  const found = [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

beforeAll(async () => {
  page = await readFile(new URL('../../../../docs/guide/keys.md', import.meta.url), 'utf8');
  folder = await mkdtemp(join(tmpdir(), 'tollgate-docs-'));
  const file = join(folder, 'check.mjs');
  await writeFile(file, block('js'));
  const module: unknown = await import(pathToFileURL(file).href);
  if (typeof module !== 'object' || module === null || !('isWellFormed' in module)) throw new Error('no such export');
  const { isWellFormed: check } = module;
  if (typeof check !== 'function') throw new Error('what checks a key is no function');
  isWellFormed = (key) => check(key);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('docs/guide/keys.md', () => {
  it('finds with its pattern what it says it finds', () => {
    const pattern = new RegExp(block('regex').trim(), 'g');
    const lines = block('text').trim().split('\n');
    const found = lines.map((line) => [...line.matchAll(pattern)].map(([match]) => match));
    expect(found.map((matches) => matches.length)).toEqual([1, 1, 0, 0, 0]);
    const [first = '', second = ''] = found.flat();
    expect([first, second].map((key) => accountTagOf(PREFIX, key))).toEqual(['Exampl', undefined]);
    expect([first, second].map(isWellFormed)).toEqual([true, false]);
  });

  it('has the same pattern in the rule of a scanner', () => {
    expect(block('toml')).toContain(`'''${block('regex').trim()}'''`);
  });

  it('finds every key that is given, and checks it as the gateway does', () => {
    const pattern = new RegExp(`^${block('regex').trim()}$`);
    for (let count = 0; count < 200; count += 1) {
      const { text } = newKey('tollgate', newAccountTag());
      const broken = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
      expect(text).toMatch(pattern);
      expect([text, broken].map(isWellFormed)).toEqual([true, false]);
    }
  });
});
