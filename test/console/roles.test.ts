import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chat } from './support/gateway-calls.ts';
import { loaded } from './support/loaded.ts';
import type { Person } from './support/people.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

/** What the rail shows to each role, in order. */
const RAIL = {
  owner: [
    ...[
      'Overview',
      'Keys',
      'Projects',
      'Limits',
      'Limit requests',
      'Requests',
      'Models',
      'Playground',
      'Top up',
      'Statements',
      'Alerts',
      'Members',
    ],
    ...['Management keys', 'Audit log', 'Settings'],
  ],
  admin: [
    'Overview',
    'Keys',
    'Projects',
    'Limits',
    'Limit requests',
    'Requests',
    'Models',
    'Playground',
    'Members',
    'Settings',
  ],
  developer: ['Overview', 'Keys', 'Projects', 'Limit requests', 'Requests', 'Models', 'Playground', 'Settings'],
  billing: ['Overview', 'Requests', 'Models', 'Top up', 'Statements', 'Alerts', 'Settings'],
} as const;

const PATHS: Readonly<Record<string, `/${string}`>> = {
  Overview: '/overview',
  Keys: '/keys',
  Projects: '/projects',
  Limits: '/limits',
  'Limit requests': '/limit-requests',
  Requests: '/requests',
  Models: '/models',
  Playground: '/playground',
  'Top up': '/top-up',
  Statements: '/statements',
  Alerts: '/alerts',
  Members: '/members',
  'Management keys': '/management-keys',
  'Audit log': '/audit',
  Settings: '/settings',
};

let account: string;
let owner: Person;

beforeAll(async () => {
  account = await tollgate.createAccount('Roles', '5');
  owner = await tollgate.person('owner', account);
  const { secret } = await createKey(owner, account, { name: 'key-of-the-owner' });
  await chat(tollgate.facts.base_url, secret);
});

const links = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('listitem').allTextContents();

describe.each(['owner', 'admin', 'developer', 'billing'] as const)('the role %s', (role) => {
  it('finds its pages in the rail, and a clear page at the address of each other one', async () => {
    const { page } = await tollgate.open(await tollgate.person(role, account));
    const failed: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(tollgate.page(account, '/overview'));
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await links(page)).toEqual(RAIL[role]);
    for (const [title, path] of Object.entries(PATHS)) {
      await page.goto(tollgate.page(account, path));
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await loaded(page);
      const isRefused = (await page.getByText('Your role does not include this page').count()) === 1;
      expect([title, isRefused]).toEqual([title, !(RAIL[role] as readonly string[]).includes(title)]);
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);
    }
    expect(failed).toEqual([]);
  });
});

it('a page that a role does not include says who sees it', async () => {
  const { page } = await tollgate.open(await tollgate.person('developer', account));
  await page.goto(tollgate.page(account, '/members'));
  await page.getByText('Your role in this account is developer. The page is for the roles owner and admin.').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'role-not-included');
  await page.getByRole('link', { name: 'Open the overview' }).click();
  await page.waitForURL(tollgate.page(account, '/overview'));
});

it('a developer sees their own keys and requests only', async () => {
  const developer = await tollgate.person('developer', account);
  const { secret } = await createKey(developer, account, { name: 'key-of-the-developer' });
  await chat(tollgate.facts.base_url, secret);
  const { page } = await tollgate.open(developer);
  await page.goto(tollgate.page(account, '/keys'));
  await page.getByRole('link', { name: 'key-of-the-developer' }).waitFor();
  expect(await page.getByText('key-of-the-owner').count()).toBe(0);
  await page.goto(tollgate.page(account, '/requests'));
  await page.getByRole('cell', { name: 'key-of-the-developer' }).waitFor();
  expect(await page.getByText('key-of-the-owner').count()).toBe(0);
  await keepScreenshot(page, 'requests-of-developer');
  await page.goto(tollgate.page(account, '/overview'));
  await page.getByRole('heading', { name: 'Models by spend' }).waitFor();
  expect(await page.getByText('key-of-the-owner').count()).toBe(0);
});

it('billing sees money and requests, but no key leads anywhere', async () => {
  const { page } = await tollgate.open(await tollgate.person('billing', account));
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByRole('row', { name: /For a test/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Credit account' }).count()).toBe(0);
  await page.goto(tollgate.page(account, '/requests'));
  await page
    .getByRole('row', { name: /key-of-the-owner/ })
    .first()
    .click();
  await page.getByText('Held while it ran').waitFor();
  expect(await page.getByRole('link', { name: 'key-of-the-owner' }).count()).toBe(0);
  await page.getByRole('button', { name: /Search/ }).click();
  await page.getByRole('combobox', { name: 'Search' }).fill('key-of');
  await page.getByText(/^Nothing found/).waitFor();
});

it('an admin may not change an owner', async () => {
  const { page } = await tollgate.open(await tollgate.person('admin', account));
  await page.goto(tollgate.page(account, '/members'));
  await page
    .getByRole('row', { name: /Otto Owner/ })
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: 'Actions for Otto Owner' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByRole('button', { name: /Role$/ }).click();
  expect(await page.getByRole('option').allTextContents()).toEqual([
    expect.stringMatching(/^Admin/),
    expect.stringMatching(/^Developer/),
    expect.stringMatching(/^Billing/),
  ]);
});

it("another account's address says that the person is not a member", async () => {
  const elsewhere = await tollgate.createAccount('Elsewhere');
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(elsewhere, '/keys'));
  await page.getByText('You are not a member of this account').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'not-a-member');
  await page.getByRole('link', { name: 'Open your own account' }).click();
  await page.waitForURL(tollgate.page(account, '/overview'));
});
