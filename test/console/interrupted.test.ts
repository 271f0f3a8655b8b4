import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

afterEach(() => process.kill(pidOf('ledger'), 'SIGCONT'));

function pidOf(service: string): number {
  const pid = tollgate.facts.pids[service];
  if (pid === undefined) throw new Error(`${service} does not run`);
  return pid;
}

async function depositsOf(account: string) {
  const { api } = await tollgate.operator();
  const start = new Date(Date.now() - 3_600_000).toISOString();
  const end = new Date(Date.now() + 3_600_000).toISOString();
  const path = { account_id: account };
  return (await api.ok('GET /accounts/{account_id}/deposits', { path, query: { start, end } })).data;
}

/** Fills the form that credits an account. */
async function fillDeposit(page: Page, account: string, reason: string) {
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByRole('button', { name: 'Credit account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('777');
  await dialog.getByLabel('Reason').fill(reason);
  return dialog;
}

/** Offline, as a laptop is in a tunnel. The browser reports what it could not load. */
async function offline(page: Page, work: () => Promise<void>): Promise<void> {
  await page.context().setOffline(true);
  await work();
  await page.context().setOffline(false);
}

it('a credit that was cancelled offline is not booked when the connection returns', async () => {
  const account = await tollgate.createAccount('Cancelled in a tunnel', '5');
  const opened = await tollgate.open(await tollgate.operator());
  const { page } = opened;
  const dialog = await fillDeposit(page, account, 'Paid by invoice 777');
  await dialog.getByText('Credits $777.00 to Cancelled in a tunnel.').waitFor();
  await offline(page, async () => {
    await dialog.getByRole('button', { name: 'Credit account' }).click();
    await dialog.getByText('You are offline, so nothing was sent.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
  // A change from another window arrives, and after it nothing of the cancelled one.
  const { api } = await tollgate.operator();
  await api.ok('POST /accounts/{account_id}/deposits', {
    path: { account_id: account },
    body: { kind: 'deposit', amount: '1', reason: 'Afterwards', idempotency_key: account },
  });
  await page.getByRole('row', { name: /Afterwards/ }).waitFor();
  // What the browser could not load while it was offline, its event stream for instance.
  opened.complaints.splice(0);
  expect((await depositsOf(account)).map(({ reason }) => reason)).toEqual(['Afterwards', 'For a test']);
});

it('a key whose creation was cancelled offline is not created', async () => {
  const account = await tollgate.createAccount('No key from a tunnel', '5');
  const operator = await tollgate.operator();
  const opened = await tollgate.open(operator);
  const { page } = opened;
  await page.goto(`${tollgate.page(account, '/keys')}?new=1`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('cancelled');
  await offline(page, async () => {
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('You are offline, so nothing was sent.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });
  await createKey(operator, account, {
    name: 'afterwards',
    allowed_models: [],
    limits: { requests_per_minute: null, tokens_per_minute: null, open_requests: null },
    caps: { day: null, week: null, month: null, total: null },
    tags: {},
    expires_at: null,
  });
  await page.reload();
  await page.getByRole('row', { name: /afterwards/ }).waitFor();
  // What the browser could not load while it was offline, its icon for instance.
  opened.complaints.splice(0);
  expect(await page.getByRole('row', { name: /cancelled/ }).count()).toBe(0);
});

it('a credit that was already sent says so when its form closes, and books once', async () => {
  const account = await tollgate.createAccount('Sent already', '5');
  const { page } = await tollgate.open(await tollgate.operator());
  const dialog = await fillDeposit(page, account, 'Sent before it was closed');
  process.kill(pidOf('ledger'), 'SIGSTOP');
  await dialog.getByRole('button', { name: 'Credit account' }).click();
  await dialog.getByRole('button', { name: 'Crediting' }).waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const notes = page.getByRole('region', { name: 'Notifications' });
  await notes.getByText('The deposit of $777.00 for Sent already was already sent').waitFor();
  process.kill(pidOf('ledger'), 'SIGCONT');
  await notes.getByText('was done after its form had closed').waitFor();
  await page.getByRole('row', { name: /Sent before it was closed/ }).waitFor();
  expect((await depositsOf(account)).map(({ amount }) => Number(amount))).toEqual([777, 5]);
});

it('a change that gets no answer says that it may be done, and trying again does it once', async () => {
  const account = await tollgate.createAccount('Without an answer', '5');
  const { page } = await tollgate.open(await tollgate.operator());
  const dialog = await fillDeposit(page, account, 'Tried twice');
  process.kill(pidOf('ledger'), 'SIGSTOP');
  await dialog.getByRole('button', { name: 'Credit account' }).click();
  await dialog.getByText(/It may have done this/).waitFor();
  process.kill(pidOf('ledger'), 'SIGCONT');
  await dialog.getByRole('button', { name: 'Credit account' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await depositsOf(account)).map(({ amount }) => Number(amount))).toEqual([777, 5]);
});

it('a page whose ledger hangs says from when its figures are, and heals', async () => {
  const account = await tollgate.demoAccount();
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(account, '/overview'));
  await page.getByText('Spend by day and model').waitFor();
  process.kill(pidOf('ledger'), 'SIGSTOP');
  const banner = page.getByText(/as of \d\d:\d\d:\d\d UTC/);
  await banner.waitFor();
  process.kill(pidOf('ledger'), 'SIGCONT');
  await banner.waitFor({ state: 'detached' });
});

it('a page that opens while the ledger hangs says so soon, without a skeleton again, and heals', async () => {
  const account = await tollgate.demoAccount();
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(account, '/keys'));
  await page.getByRole('row', { name: /ci-runner/ }).waitFor();
  process.kill(pidOf('ledger'), 'SIGSTOP');
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  const error = page.getByText('The overview could not be loaded.');
  await error.waitFor({ timeout: 10_000 });
  // It is tried again meanwhile.
  const reads = await page.evaluate(`new Promise((resolve) => {
    const seen = [];
    const observer = new MutationObserver(() => {
      if (document.querySelector('main [aria-busy="true"], main [data-skeleton]')) seen.push('skeleton');
      if (!document.body.textContent.includes('The overview could not be loaded.')) seen.push('no error');
    });
    observer.observe(document.body, { childList: true, subtree: true });
    const before = performance.getEntriesByType('resource').length;
    const wait = new PerformanceObserver((list) => {
      if (!list.getEntries().some(({ name }) => name.includes('/overview'))) return;
      observer.disconnect();
      wait.disconnect();
      resolve(seen);
    });
    wait.observe({ entryTypes: ['resource'] });
  })`);
  expect(reads).toEqual([]);
  process.kill(pidOf('ledger'), 'SIGCONT');
  await page.getByText('Spend by day and model').waitFor();
});
