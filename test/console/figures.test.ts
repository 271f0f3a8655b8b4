import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { loaded } from './support/loaded.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

function sizeOf(page: Page, selector: string): Promise<number> {
  const element = `document.querySelector(${JSON.stringify(selector)})`;
  return page.evaluate(`Number.parseFloat(getComputedStyle(${element}).fontSize)`);
}

it('figures are larger than titles of sections, and those larger than labels', async () => {
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(await tollgate.demoAccount(), '/overview'));
  await loaded(page);
  const sizes = await Promise.all(['main dl dd', 'main h2', 'main dl dt'].map((each) => sizeOf(page, each)));
  expect(sizes).toEqual([20, 16, 13]);
});

it('on the page of a key what is spent is a figure, and who created it is text', async () => {
  const operator = await tollgate.operator();
  const account = await tollgate.createAccount('Of text and figures', '5');
  const key = await createKey(operator, account, {
    name: 'named',
    caps: { day: null, week: null, month: '0.000000009', total: null },
  });
  const { page } = await tollgate.open(operator);
  await page.goto(tollgate.page(account, `/keys/${key.key.key_id}`));
  await loaded(page);
  const sizes = await page.evaluate(`[...document.querySelectorAll('main dl > div')]
    .map((fact) => {
      const { fontSize, fontWeight } = getComputedStyle(fact.querySelector('dd'));
      return [fact.querySelector('dt').textContent, fontSize, fontWeight];
    })`);
  expect(sizes).toContainEqual(['Spent this month', '20px', '600']);
  expect(sizes).toContainEqual(['Created by', '14px', '400']);
  expect(await page.getByText('left of').textContent()).toBe(
    '$0.00 spent, $0.00 held, $0.000000009 left of $0.000000009',
  );
});

it('what is well has no mark', async () => {
  const operator = await tollgate.operator();
  const account = await tollgate.createAccount('All is well', '5');
  await createKey(operator, account, { name: 'fine' });
  const { page } = await tollgate.open(operator);
  await page.goto(tollgate.page(account, '/keys'));
  await page.getByRole('row', { name: /fine/ }).waitFor();
  const marks: number = await page.evaluate(
    `[...document.querySelectorAll('td [data-tone="good"]')].filter((each) => getComputedStyle(each, '::before').display !== 'none').length`,
  );
  expect(marks).toBe(0);
});

it('the page of somebody who is not signed in loads without a failed request', async () => {
  const { page } = await tollgate.open();
  const failed: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${tollgate.url}/`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(failed).toEqual([]);
});

it('an operator of one account starts on its overview', async () => {
  const demo = await tollgate.demoAccount();
  const { page } = await tollgate.open(await tollgate.operator());
  // Other tests have created accounts.
  await page.route(/\/api\/operator\/accounts\?limit=2$/, async (route) => {
    const response = await route.fetch();
    const list = await response.json();
    await route.fulfill({ response, json: { ...list, data: list.data.slice(0, 1) } });
  });
  await page.goto(`${tollgate.url}/`);
  await page.waitForURL(tollgate.page(demo, '/overview'));
});

it('the first step of a new account is credit', async () => {
  const account = await tollgate.createAccount('Brand new');
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(account, '/overview'));
  await page.getByRole('link', { name: 'Credit account' }).click();
  await page.getByRole('dialog', { name: 'Credit account' }).waitFor();
});

it('an export has the first and the last day in its name', async () => {
  const { page } = await tollgate.open(await tollgate.operator());
  const query = 'start=2026-11-01T00:00:00Z&end=2026-11-04T00:00:00Z';
  await page.goto(`${tollgate.page(await tollgate.demoAccount(), '/requests')}?${query}`);
  await loaded(page);
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /CSV/ }).click();
  expect((await download).suggestedFilename()).toBe('requests-2026-11-01-2026-11-03.csv');
});
