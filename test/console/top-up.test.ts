import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { chat } from './support/gateway-calls.ts';
import { drawn, loaded } from './support/loaded.ts';
import type { Person } from './support/people.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

const WORKS = /^Card that works ?Card/;
const DECLINED_LATER = /declined when it is charged later/;
const ASKS_BANK = /3-D Secure/;
/** Its requests cost cents. */
const MODEL = 'simulated-large';

interface Customer {
  account: string;
  owner: Person;
  page: Page;
  /** Asks a model once, with a request that costs a few cents. */
  ask: () => Promise<string>;
  balance: () => Promise<number>;
}

/** An owner who has paid in $20 by a card that was saved. */
async function customer(name: string, card: RegExp, more = '0'): Promise<Customer> {
  const account = await tollgate.createAccount(name, more);
  const owner = await tollgate.person('owner', account);
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByText('Save this card for later payments').click();
  await page.getByRole('button', { name: 'Pay $20' }).click();
  await payWith(page, card);
  await page.getByText('$20 was credited').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  const { secret } = await createKey(owner, account, { name: 'ci' });
  const path = { account_id: account };
  return {
    account,
    owner,
    page,
    ask: () => chat(tollgate.facts.base_url, secret, MODEL, 'word '.repeat(5_000)),
    balance: async () => Number((await owner.api.ok('GET /accounts/{account_id}/balance', { path })).available),
  };
}

async function payWith(page: Page, card: RegExp): Promise<void> {
  await page.getByLabel(card).check();
  await page.getByRole('button', { name: 'Pay' }).click();
  if (card !== ASKS_BANK) return;
  await page.getByRole('button', { name: 'Approve' }).click();
}

/** Takes what is left, as an operator. */
async function spend(account: string, amount: string): Promise<void> {
  const { api } = await tollgate.operator();
  const body = { kind: 'adjustment', amount: `-${amount}`, reason: 'spent', idempotency_key: randomUUID() } as const;
  await api.ok('POST /accounts/{account_id}/deposits', { path: { account_id: account }, body });
}

/** Fills in the form in the page. */
async function switchOn(page: Page, threshold: string, target: string, max = '200'): Promise<void> {
  await page.getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('When the balance falls to').fill(threshold);
  await dialog.getByLabel('Top up to').fill(target);
  await dialog.getByLabel('Most in a month').fill(max);
  await expectUsable(page);
  await keepScreenshot(page, 'top-up-form');
  await dialog.getByRole('button', { name: 'Switch on' }).click();
}

it('a request is refused; automatic top-up is switched on, and the next one is served', async () => {
  const { account, page, ask } = await customer('Refused first', WORKS);
  await spend(account, '20');
  await expect(ask()).rejects.toThrow('400');
  await switchOn(page, '5', '6');
  await page.getByText('Must be at least $5 above the threshold.').waitFor();
  await page.getByRole('dialog').getByLabel('Top up to').fill('30');
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByText('When the balance falls to $5, Visa 4242 is charged what is missing to $30').waitFor();
  await page.getByRole('link', { name: '$30.00 left' }).waitFor();
  await page.getByText('This month: $30.').waitFor();
  await page
    .getByRole('table', { name: 'Payments' })
    .getByRole('row', { name: /Visa 4242.*automatic top-up.*\$30\.00/ })
    .waitFor();
  await expectUsable(page);
  await expect(ask()).resolves.not.toBe('');
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('Automatic top-up is off.').waitFor();
  await page.goto(tollgate.page(account, '/audit'));
  await page.getByRole('row', { name: /Set automatic top-up.*visa 4242/ }).waitFor();
  await page.getByRole('row', { name: /Switch automatic top-up off/ }).waitFor();
});

it('while requests run, the balance that falls past the threshold is topped up within seconds, once', async () => {
  const { account, owner, page, ask, balance } = await customer('Runs', WORKS, '0.01');
  await switchOn(page, '20', '30');
  await page.getByText('Visa 4242 is charged what is missing to $30').waitFor();
  expect(await balance()).toBeCloseTo(20.01, 2);
  let requests = 0;
  while ((await balance()) > 20) {
    await ask();
    requests += 1;
    expect(requests).toBeLessThan(50);
  }
  const fellAt = Date.now();
  await expect.poll(balance, { interval: 100, timeout: 20_000 }).toBeGreaterThan(29);
  const tookMs = Date.now() - fellAt;
  process.stdout.write(`topped up ${tookMs} ms after the balance had fallen\n`);
  expect(tookMs).toBeLessThan(10_000);
  await ask();
  const path = { account_id: account };
  const { data } = await owner.api.ok('GET /accounts/{account_id}/payments', { path, query: { limit: 10 } });
  expect(data.filter(({ automatic }) => automatic)).toHaveLength(1);
});

it('a card that needs 3-D Secure pauses: its holder confirms the payment, and automatic top-up goes on', async () => {
  const { account, page } = await customer('Asks the bank', ASKS_BANK);
  await spend(account, '18');
  await switchOn(page, '5', '25');
  await page.getByText('Paused: confirm the payment of $23').waitFor();
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    await loaded(page);
    await drawn(page);
    await expectUsable(page);
    await keepScreenshot(page, `top-up-confirm-${width}`);
  }
  await page.getByRole('button', { name: 'Confirm $23' }).click();
  await payWith(page, ASKS_BANK);
  await page.getByText('$23 was credited').waitFor();
  await page.getByRole('link', { name: '$25.00 left' }).waitFor();
  await expect.poll(() => page.getByText('Paused: confirm').count()).toBe(0);
  await page.getByText('When the balance falls to $5').waitFor();
  await page.getByRole('row', { name: /for automatic top-up.*\$23\.00/ }).waitFor();
});

it('a card that is declined is tried again later, or when somebody resumes', async () => {
  const { account, page } = await customer('Declined later', DECLINED_LATER);
  await spend(account, '18');
  await switchOn(page, '5', '25');
  await page.getByText('The card was declined').first().waitFor();
  await page.getByText(/It is charged again at/).waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Automatic top-up goes on.').waitFor();
  await expect.poll(() => page.getByRole('row', { name: /declined.*automatic top-up/ }).count()).toBe(2);
});

it('removing the card pauses automatic top-up', async () => {
  const { page } = await customer('Removes its card', WORKS);
  await switchOn(page, '5', '25');
  await page.getByText('Visa 4242 is charged what is missing to $25').waitFor();
  await page.getByRole('button', { name: 'Saved cards' }).click();
  await page.getByRole('button', { name: 'Remove Visa 4242' }).click();
  await page.getByRole('button', { name: 'Remove card' }).click();
  await page.getByText('No cards are saved').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Paused: the card was removed').waitFor();
  await page.getByRole('button', { name: 'Choose a card' }).click();
  await page.getByText('No card is saved.').waitFor();
  await expectUsable(page);
});
