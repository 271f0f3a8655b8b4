import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { catalogueFromText } from '@tollgate/router/catalogue/load';
import { describe, expect, it } from 'vitest';
import { PROVIDERS } from '../integration/providers/index.ts';
import { catalogueText, providerPage } from '../integration/support/provider-pages.ts';

const HEADINGS = [
  'What you need',
  'Catalogue entry',
  'Models and prices',
  'What it does differently',
  'Native endpoints',
  'Try it',
  'Sources',
];
/** Servers that people run themselves have one more. */
const OPTIONAL = 'Starting it';

const PAGES = PROVIDERS.map(({ id }) => id);

describe.each(PAGES)('docs/providers/%s.md', (name) => {
  const page = providerPage(name);

  it('has the headings of all pages', () => {
    const found = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(found.filter((heading) => heading !== OPTIONAL)).toEqual(HEADINGS);
  });

  it('has an entry that the router loads', () => {
    const file = join(CHECKOUT, `docs/providers/${name}.md`);
    const { routes } = catalogueFromText(file, catalogueText(page), () => undefined);
    expect(routes.models.length).toBeGreaterThan(0);
  });

  it('dates its sources', () => {
    expect(page.split('\n## Sources\n')[1]).toMatch(/20\d\d-\d\d-\d\d/);
  });
});

it('every recorded provider has a row in the table', () => {
  const readme = providerPage('README');
  expect(PROVIDERS.filter(({ id, name }) => !readme.includes(`[${name}](${id}.md)`))).toEqual([]);
});
