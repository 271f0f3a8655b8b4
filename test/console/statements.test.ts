import { readFile } from 'node:fs/promises';
import { parseDollars } from '@tollgate/common/money';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { csvRecords } from '@tollgate/console/testing/csv-records';
import { pdfPages } from '@tollgate/console/testing/pdf-text';
import { issueThisMonth } from '@tollgate/ledger/testing/ledger-calls';
import { silent } from '@tollgate/ledger/testing/ledger-fixture';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { chat } from './support/gateway-calls.ts';
import { loaded } from './support/loaded.ts';
import type { Person } from './support/people.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();
const WIDTHS = [390, 1_024, 1_280, 1_440] as const;

let pool: Pool;
let account: string;
let billing: Person;
let month: string;

beforeAll(async () => {
  pool = createPool({ url: tollgate.facts.database_url, size: 1, applicationName: 'tollgate-test' }, silent);
  account = await tollgate.createAccount('Acme & Söhne', '50');
  const operator = await tollgate.operator();
  const path = { account_id: account };
  const body = { kind: 'adjustment', amount: '5', reason: 'Goodwill', idempotency_key: account } as const;
  await operator.api.ok('POST /accounts/{account_id}/deposits', { path, body });
  const { secret } = await createKey(operator, account, { name: 'key' });
  for (const model of ['simulated-small', 'simulated-large']) await chat(tollgate.facts.base_url, secret, model);
  const spent = async () => {
    const query = { range: '24h', interval: 'day', group_by: 'model' } as const;
    return (await operator.api.ok('GET /accounts/{account_id}/usage', { path, query })).data.length;
  };
  await vi.waitFor(async () => expect(await spent()).toBe(2), { timeout: 20_000, interval: 200 });
  month = await issueThisMonth(pool, account);
  billing = await tollgate.person('billing', account);
});
afterAll(() => pool.end());

/** Presses a link that downloads a file. */
async function download(page: Page, link: () => Promise<void>): Promise<{ name: string; content: Buffer }> {
  const downloading = page.waitForEvent('download');
  await link();
  const file: Download = await downloading;
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

function nanos(amount: string): bigint {
  const parsed = parseDollars(amount);
  if (parsed === undefined) throw new Error(`${amount} is no amount`);
  return parsed;
}

it('a statement is downloaded, and its sum is the one of the API', async () => {
  const path = { account_id: account, month };
  const statement = await billing.api.ok('GET /accounts/{account_id}/statements/{month}', { path });
  const { available, held } = await billing.api.ok('GET /accounts/{account_id}/balance', { path });
  expect(nanos(statement.closing)).toBe(nanos(available) + nanos(held));

  const { page } = await tollgate.open(billing);
  await page.goto(tollgate.page(account, '/statements'));
  await page
    .getByRole('table', { name: 'Statements' })
    .getByRole('link', { name: /^[A-Z]/ })
    .first()
    .waitFor();
  const csv = await download(page, () => page.getByRole('link', { name: 'CSV' }).click());
  expect(csv.name).toBe(`statement-${month}.csv`);
  const lines = csvRecords(csv.content);
  expect(lines.map(({ kind }) => kind)).toEqual(['deposit', 'adjustment', 'charges', 'charges']);
  const sum = lines.reduce((total, { amount = '' }) => total + nanos(amount), nanos(statement.opening));
  expect(sum).toBe(nanos(statement.closing));

  await page.getByRole('table', { name: 'Statements' }).locator('tbody tr').first().click();
  await page.getByRole('heading', { level: 1, name: /^Statement of / }).waitFor();
  const pdf = await download(page, () => page.getByRole('link', { name: 'PDF' }).click());
  expect(pdf.name).toBe(`statement-${month}.pdf`);
  const text = (await pdfPages(pdf.content)).join(' ');
  for (const part of ['Beispiel Gateway GmbH', '10115 Berlin', 'DE123456789', 'Acme & Söhne', 'simulated-large'])
    expect(text).toContain(part);
  expect(text).toContain(`$${statement.closing} closing balance`);
});

it('the pages of statements fit at every width', async () => {
  const { page } = await tollgate.open(billing);
  for (const [name, path] of [
    ['statements', '/statements'],
    ['statement', `/statements/${month}`],
    ['history', '/top-up'],
  ] as const) {
    await page.goto(tollgate.page(account, path));
    await loaded(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await expectUsable(page);
      await keepScreenshot(page, `${name}-${width}`);
    }
  }
});

it('the receipt of a payment is downloaded from the history', async () => {
  const { page } = await tollgate.open(billing);
  await page.goto(tollgate.page(account, '/top-up'));
  const row = page.getByRole('row', { name: /For a test/ });
  const { name, content } = await download(page, () => row.getByRole('link', { name: 'Receipt' }).click());
  expect(name).toMatch(/^receipt-R-.*\.pdf$/);
  const [text = ''] = await pdfPages(content);
  for (const part of ['Beispiel Gateway GmbH', 'Große Straße 12', 'DE123456789', 'Acme & Söhne', '$50.00 paid on'])
    expect(text).toContain(part);
  expect(
    await page
      .getByRole('row', { name: /Goodwill/ })
      .getByRole('link', { name: 'Receipt' })
      .count(),
  ).toBe(0);
});
