import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { drawn, loaded } from './support/loaded.ts';
import { requestsOf } from './support/requests-of.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectNotSideways } from './support/sideways.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

const WIDTHS = [390, 768, 1_024, 1_280, 1_440] as const;
const ACCOUNT_TABLES = [
  ...['keys', 'projects', 'requests', 'models', 'top-up', 'members', 'management-keys', 'audit'],
] as const;
const OPERATOR_TABLES = ['accounts', 'providers', 'ledger', 'catalogue', 'operators', 'audit'] as const;
/** A name that says anything needs as much. */
const MIN_NAME_PX = 120;

let demo: string;
let projectId: string;

beforeAll(async () => {
  demo = await tollgate.demoAccount();
  const operator = await tollgate.operator();
  const path = { account_id: demo };
  await createKey(operator, demo, {
    name: 'production-checkout-service-eu-west-1',
    allowed_models: ['simulated-large'],
    limits: { requests_per_minute: 12_000, tokens_per_minute: 4_000_000, open_requests: 200 },
    caps: { day: '1250', week: null, month: '25000', total: '100000' },
    tags: {},
    expires_at: null,
  });
  const caps = { day: '1250', week: null, month: '25000', total: null };
  const project = await operator.api.ok('POST /accounts/{account_id}/projects', {
    path,
    body: { name: 'Checkout of the online shop in Europe', caps },
  });
  projectId = project.project_id;
  await operator.api.ok('POST /accounts/{account_id}/projects/{project_id}/service-accounts', {
    path: { ...path, project_id: projectId },
    body: { name: 'nightly-regression-tests', caps, allowed_models: ['simulated-large'] },
  });
  await createKey(operator, demo, { name: 'checkout-service-eu-west-1', project_id: projectId, caps });
  const invitation = { email: `${randomUUID()}@accounting.example.com`, role: 'developer' } as const;
  await operator.api.ok('POST /accounts/{account_id}/invitations', { path, body: invitation });
  const key = {
    name: 'Terraform of the platform team',
    role: 'developer',
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  } as const;
  await operator.api.ok('POST /accounts/{account_id}/management-keys', { path, body: key });
  await requestsOf(operator, demo, 1);
});

interface ShownTable {
  label: string;
  /** Pixels of the narrowest name; null without rows. */
  name: number | null;
  cutTitles: string[];
}

const MEASURE = `[...document.querySelectorAll('table[aria-label]')].filter((table) => table.querySelector('td[data-phone]')).map((table) => {
  const names = [...table.querySelectorAll('tr[data-row] > td[data-phone="title"]')].map((cell) => cell.clientWidth);
  const titles = [...table.querySelectorAll('th')].filter((title) => title.offsetWidth > 1 && title.scrollWidth > title.clientWidth);
  return {
    label: table.getAttribute('aria-label'),
    name: names.length === 0 ? null : Math.min(...names),
    cutTitles: getComputedStyle(table).display === 'block' ? [] : titles.map((title) => title.textContent),
  };
})`;

/** Expects names, whole titles of columns, and nothing to scroll sideways, at every width. */
async function expectNames(page: Page, address: string, name: string): Promise<void> {
  await page.goto(address);
  await loaded(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    const tables: ShownTable[] = await page.evaluate(MEASURE);
    expect.soft(tables.length, `tables of ${name}`).toBeGreaterThan(0);
    for (const table of tables) {
      const place = `${table.label} at ${width} px`;
      if (table.name !== null) expect.soft(table.name, `pixels of a name in ${place}`).toBeGreaterThan(MIN_NAME_PX);
      expect.soft(table.cutTitles, `titles cut in ${place}`).toEqual([]);
    }
    await expectNotSideways(page, `${name} at ${width} px`);
    if (width === 1_024) await keepScreenshot(page, `${name}-medium-light`);
  }
}

it('every row of an account has its name at every width', async () => {
  const { page } = await tollgate.open(await tollgate.operator());
  for (const name of ACCOUNT_TABLES) await expectNames(page, tollgate.page(demo, `/${name}`), name);
  await expectNames(page, tollgate.page(demo, `/projects/${projectId}`), 'project');
});

it('every row of operators and of a person has its name at every width', async () => {
  const { page } = await tollgate.open(await tollgate.operator());
  for (const name of OPERATOR_TABLES) await expectNames(page, `${tollgate.url}/operator/${name}`, `operator-${name}`);
  await expectNames(page, `${tollgate.url}/profile`, 'profile');
});

it('the column that rows are sorted by stays', async () => {
  const { page } = await tollgate.open(await tollgate.operator(), { viewport: { width: 768, height: 900 } });
  await page.goto(`${tollgate.page(demo, '/keys')}?sort=-used`);
  await loaded(page);
  await page.getByRole('columnheader', { name: 'Last used' }).waitFor();
});
