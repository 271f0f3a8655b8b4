import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { combineCatalogues } from './combine.ts';

const shipped = ['openai', 'anthropic', 'gemini'].map((name) =>
  readFileSync(new URL(`../../../catalogue/${name}.yaml`, import.meta.url), 'utf8'),
);

describe('combineCatalogues', () => {
  it('has the providers and models of all, in their order', () => {
    const combined = parse(combineCatalogues(shipped));
    expect(combined.version).toBe(1);
    expect(combined.providers).toEqual(shipped.flatMap((text) => parse(text).providers));
    expect(combined.models).toEqual(shipped.flatMap((text) => parse(text).models));
  });

  it('leaves prices as they are spelled', () => {
    const tiny = 'version: 1\nproviders: []\nmodels:\n  - price: { input: 0.000000001, output: 12.50 }\n';
    expect(combineCatalogues([tiny, tiny]).match(/input: 0\.000000001, output: 12\.50/g)).toHaveLength(2);
  });

  it('refuses a file that is no catalogue', () => {
    expect(() => combineCatalogues(['version: 1\nproviders: []\nmodels: []\n', 'text'])).toThrow(
      'no list of providers',
    );
  });
});
