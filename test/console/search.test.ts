import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chat } from './support/gateway-calls.ts';
import type { Person } from './support/people.ts';
import { requestsOf } from './support/requests-of.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

let account: string;
let owner: Person;
let key: Awaited<ReturnType<typeof createKey>>;
let request: string;

beforeAll(async () => {
  account = await tollgate.createAccount('Searched', '5');
  owner = await tollgate.person('owner', account);
  key = await createKey(owner, account, { name: 'nightly-build' });
  await createKey(owner, account, { name: 'other' });
  await chat(tollgate.facts.base_url, key.secret);
  request = (await requestsOf(owner, account, 1))[0]?.request_id ?? '';
});

async function openSearch(): Promise<Page> {
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/overview'));
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  return page;
}

describe('Ctrl K', () => {
  it.each<[string, () => string, RegExp, () => string]>([
    ['a key by its name', () => 'nightly', /^nightly-build.*Key$/, () => `/keys/${key.key.key_id}`],
    [
      'a key by its last four characters',
      () => key.key.last_four,
      /^nightly-build.*Key$/,
      () => `/keys/${key.key.key_id}`,
    ],
    ['a request by its id', () => request, /Request$/, () => `/requests/${request}`],
    ['a model', () => 'simulated-la', /^simulated-large.*Model$/, () => '/models/simulated-large'],
    ['a member', () => 'Otto', /^Otto Owner.*Member$/, () => `/members?member=${owner.personId}`],
    ['a page', () => 'audit', /^Audit log.*Page$/, () => '/audit'],
    ['an action', () => 'new key', /^Create key.*Action$/, () => '/keys?new=1'],
    [
      'the deletion of a key',
      () => 'nightly',
      /^Delete key nightly-build.*Action$/,
      () => `/keys/${key.key.key_id}?delete=1`,
    ],
  ])('finds %s', async (_, text, option, path) => {
    const page = await openSearch();
    await page.keyboard.type(text());
    await page.getByRole('option', { name: option }).click();
    await page.waitForURL(tollgate.page(account, path() as `/${string}`));
  });

  it('is used with the keyboard alone', async () => {
    const page = await openSearch();
    await page.keyboard.type('nightly');
    await page.getByRole('option', { name: /^Delete key nightly-build/ }).waitFor();
    await expectUsable(page);
    await keepScreenshot(page, 'search');
    const chosen = page.getByRole('option', { selected: true });
    expect(await chosen.textContent()).toMatch(/^nightly-build/);
    await page.keyboard.press('ArrowDown');
    expect(await chosen.textContent()).toMatch(/^Delete key nightly-build/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(tollgate.page(account, `/keys/${key.key.key_id}`));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Search' }).waitFor({ state: 'detached' });
  });

  it('says when nothing is found', async () => {
    const page = await openSearch();
    await page.keyboard.type('zzzz-nothing');
    await page.getByText(/^Nothing found/).waitFor();
  });
});

it('? lists the keys, Esc closes it, and a field takes ? as text', async () => {
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/keys'));
  await page.getByRole('link', { name: 'nightly-build' }).waitFor();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Move between rows').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'shortcuts');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByLabel('Find a key').focus();
  await page.keyboard.type('?');
  await page.getByText('No key found').waitFor();
  expect(await dialog.count()).toBe(0);
  await page.getByLabel('Find a key').fill('NIGHTLY');
  await page.getByRole('link', { name: 'nightly-build' }).waitFor();
  await expect.poll(() => page.locator('tr[data-row]').count()).toBe(1);
});

it('a table is walked with arrows, Home and End, and Enter opens the row', async () => {
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/keys'));
  const table = page.getByRole('table', { name: 'Keys' });
  const rows = table.locator('tr[data-row]');
  await rows.nth(1).waitFor();
  const focused = () => page.evaluate('document.activeElement.getAttribute("data-row")');
  const ids = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-row')));
  await rows.first().focus();
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe(ids[1]);
  await page.keyboard.press('Home');
  expect(await focused()).toBe(ids[0]);
  await page.keyboard.press('End');
  expect(await focused()).toBe(ids.at(-1));
  await page.keyboard.press('Enter');
  await page.waitForURL(tollgate.page(account, `/keys/${ids.at(-1)}`));
});
