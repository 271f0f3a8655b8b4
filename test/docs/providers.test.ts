import { describe, expect, it } from 'vitest';
import { PROVIDERS } from '../integration/providers/index.ts';
import { providerPage } from '../integration/support/provider-pages.ts';

describe.each(PROVIDERS.map(({ id }) => id))('docs/providers/%s.md', (name) => {
  const page = providerPage(name);

  it('leads to the starter catalogue', () => {
    expect(page).toMatch(new RegExp(`\\(\\.\\./\\.\\./deploy/catalogue/(local/)?${name}\\.yaml\\)`));
  });

  it('says what the provider does differently', () => {
    expect(page).toContain('\n## What it does differently\n');
  });
});

it('every recorded provider has a row in the table', () => {
  const readme = providerPage('README');
  expect(PROVIDERS.filter(({ id, name }) => !readme.includes(`[${name}](${id}.md)`))).toEqual([]);
});
