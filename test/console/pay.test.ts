import { randomUUID } from 'node:crypto';
import { type ServedConsole, serveConsole } from '@tollgate/console/testing/serve-console';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat } from './support/gateway-calls.ts';
import { drawn, loaded } from './support/loaded.ts';
import type { Person } from './support/people.ts';
import { requestsOf } from './support/requests-of.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

const WIDTHS = [390, 1_024, 1_280, 1_440] as const;
const CARD = /^Card that works ?Card/;
const DECLINED = /declined for insufficient funds/;

/** Opens Top up, fills in an amount and goes to the checkout. */
async function toCheckout(page: Page, account: string, amount: string): Promise<void> {
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByLabel('Or another amount').fill(amount);
  await page.getByRole('button', { name: `Pay $${amount}` }).click();
  await page.getByText('Simulated payment').waitFor();
}

/** Chooses at the checkout what happens, and pays. */
async function payWith(page: Page, card: RegExp): Promise<void> {
  await page.getByLabel(card).check();
  await page.getByRole('button', { name: 'Pay' }).click();
}

/** Makes the provider look slow: the page reads that its payment is pending, until this is called. */
async function heldBack(page: Page): Promise<() => Promise<void>> {
  const address = /\/payments\/[0-9a-f-]{36}$/;
  await page.route(address, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), state: 'pending', credited: '0.00' } });
  });
  return () => page.unroute(address);
}

/** Tells the stand-in for Stripe what happens. */
async function control<T>(command: string, body: object = {}): Promise<T> {
  const url = `${tollgate.facts.payments?.stripe_simulator_url}/_control/${command}`;
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

async function chargeOf(providerPayment: string): Promise<string> {
  const { charges } = await control<{ charges: { id: string; payment_intent: string }[] }>('objects');
  return charges.find((each) => each.payment_intent === providerPayment)?.id ?? '';
}

/** A person who has paid in $50, with a page that shows it. */
async function paid(name: string, role: 'owner' | 'operator' = 'owner'): Promise<{ account: string; page: Page }> {
  const account = await tollgate.createAccount(name);
  const person: Person = role === 'operator' ? await tollgate.operator() : await tollgate.person(role, account);
  const { page } = await tollgate.open(person);
  await toCheckout(page, account, '50');
  await payWith(page, CARD);
  await page.getByText('$50 was credited').waitFor();
  return { account, page };
}

it('an owner pays $50 by card: the page sees it settle without reload, and the balance follows', async () => {
  const account = await tollgate.createAccount('Pays by card', '10');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByText('No money moves').waitFor();
  await page.getByRole('link', { name: '$10.00 left' }).waitFor();
  // With the keyboard alone.
  await page.getByRole('radio', { name: '$20' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByLabel('Or another amount').inputValue()).toBe('50');
  await expectUsable(page);
  await page.getByRole('button', { name: 'Pay $50' }).press('Enter');
  await page.getByText('Simulated payment').waitFor();
  const release = await heldBack(page);
  await payWith(page, CARD);

  await page.waitForURL(/\/top-up\?payment=/);
  await page.getByText('Waiting for the payment provider').waitFor();
  expect(await page.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
  await page.evaluate('window.isSameDocument = true');
  await keepScreenshot(page, 'pay-pending');
  await release();
  await page.getByText('$50 was credited').waitFor();
  await page.getByRole('link', { name: '$60.00 left' }).waitFor();
  await page
    .getByRole('table', { name: 'Payments' })
    .getByRole('row', { name: /Visa 4242.*\$50\.00/ })
    .waitFor();
  await page
    .getByRole('table', { name: 'Top-ups' })
    .getByRole('row', { name: /Deposit.*\$50\.00/ })
    .waitFor();
  expect(await page.evaluate('window.isSameDocument')).toBe(true);
  await expectUsable(page);
});

it('an amount that cannot be paid in says at the field what can', async () => {
  const account = await tollgate.createAccount('Pays too much');
  const { page } = await tollgate.open(await tollgate.person('billing', account));
  await page.goto(tollgate.page(account, '/top-up'));
  const field = page.getByLabel('Or another amount');
  await field.fill('600');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByText('$500 can be paid in now').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await field.fill('4.99');
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByText('The least is $5.').waitFor();
  await expectUsable(page);
});

it('a card that is declined pays nothing: the page says why, and the amount can be paid again', async () => {
  const account = await tollgate.createAccount('Declined', '10');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await toCheckout(page, account, '35');
  await payWith(page, DECLINED);
  await page.getByRole('alert').getByText('insufficient funds').waitFor();
  await page.getByRole('link', { name: 'Go back without paying' }).click();

  await page.waitForURL(/\/top-up\?cancelled=/);
  await page.getByText('Nothing was paid').waitFor();
  await page.getByText('The card does not have enough money.').first().waitFor();
  expect(await page.getByLabel('Or another amount').inputValue()).toBe('35');
  await page.getByRole('link', { name: '$10.00 left' }).waitFor();
  await expectUsable(page);
  // The payment waits until its checkout ends.
  await page.getByRole('button', { name: 'Continue the payment of $35' }).click();
  await payWith(page, CARD);
  await page.getByText('$35 was credited').waitFor();
  await page.getByRole('link', { name: '$45.00 left' }).waitFor();
});

it('a payment that was cancelled leaves the form as it was', async () => {
  const account = await tollgate.createAccount('Cancelled');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await toCheckout(page, account, '25');
  await page.getByRole('link', { name: 'Go back without paying' }).click();
  await page.getByText('The payment of $25 was cancelled.').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.waitForURL(tollgate.page(account, '/top-up'));
  await page
    .getByRole('table', { name: 'Payments' })
    .getByRole('row', { name: /Not paid yet.*\$25\.00/ })
    .waitFor();
});

it('a card that asks its owner is credited when they have confirmed', async () => {
  const account = await tollgate.createAccount('Asked by the bank');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await toCheckout(page, account, '20');
  await payWith(page, /3-D Secure/);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('$20 was credited').waitFor();
});

it('a payment that takes longer than some minutes is no longer followed, until somebody looks again', async () => {
  const account = await tollgate.createAccount('Waits for long');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await toCheckout(page, account, '20');
  const release = await heldBack(page);
  await page.clock.install();
  await payWith(page, CARD);
  await page.getByText('Waiting for the payment provider').waitFor();
  await page.clock.fastForward('00:31');
  await page.clock.fastForward('04:31');
  await page.getByText('appears by itself').waitFor();
  await expectUsable(page);
  await release();
  await page.getByRole('button', { name: 'Look again' }).click();
  await page.getByText('$20 was credited').waitFor();
});

it('an operator refunds a part of a payment out of unspent credit', async () => {
  const { account, page } = await paid('Refunded', 'operator');
  await page.getByRole('button', { name: 'Refund the payment of $50' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('60');
  await dialog.getByLabel('Reason').fill('Paid twice');
  await dialog.getByRole('button', { name: 'Refund payment' }).click();
  await dialog.getByText('$50 of this payment is left.').waitFor();
  await dialog.getByLabel('Amount').fill('20');
  await dialog.getByText('Takes $20 of credit from Refunded').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'refund');
  await dialog.getByRole('button', { name: 'Refund payment' }).click();
  await page.getByText('$20 is paid back to Refunded.').waitFor();
  await page.getByRole('link', { name: '$30.00 left' }).waitFor();
  await page.getByRole('row', { name: /Visa 4242, \$20 refunded/ }).waitFor();
  await page
    .getByRole('table', { name: 'Top-ups' })
    .getByRole('row', { name: /Refund.*−\$20\.00/ })
    .waitFor();

  const { page: theirs } = await tollgate.open(await tollgate.person('owner', account));
  await theirs.goto(tollgate.page(account, '/top-up'));
  await theirs.getByRole('row', { name: /Visa 4242, \$20 refunded/ }).waitFor();
  expect(await theirs.getByRole('button', { name: /^Refund/ }).count()).toBe(0);
  await theirs.goto(tollgate.page(account, '/audit'));
  await theirs.getByRole('row', { name: /Refund payment.*\$20\.00 of a payment/ }).waitFor();
});

it('cards that fail again and again stop payments, until an operator clears them', async () => {
  const account = await tollgate.createAccount('Many cards');
  const operator = await tollgate.operator();
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await toCheckout(page, account, '20');
  for (let card = 0; card < 10; card += 1) {
    await payWith(page, DECLINED);
    await page.getByRole('alert').waitFor();
  }
  await page.getByRole('link', { name: 'Go back without paying' }).click();
  await page.getByText('Nothing was paid').waitFor();
  const pay = page.getByRole('button', { name: 'Pay $20' });
  const path = { account_id: account };
  await expect
    .poll(async () => (await operator.api.ok('GET /accounts/{account_id}/payment-limits', { path })).failed_cards)
    .toBe(10);
  await pay.click();
  await page.getByText(/Too many cards failed in this account: try again after 20\d\d-/).waitFor();
  await expectUsable(page);

  const { page: theirs } = await tollgate.open(operator);
  await theirs.goto(tollgate.page(account, '/settings'));
  await theirs.getByText('because too many cards failed').waitFor();
  await theirs.getByText('10 of 10').waitFor();
  for (const width of [390, 1_280]) {
    await theirs.setViewportSize({ width, height: 900 });
    await drawn(theirs);
    await expectUsable(theirs);
    await keepScreenshot(theirs, `payment-limits-${width}`);
  }
  await theirs.getByRole('button', { name: 'Clear failed cards' }).click();
  await theirs.getByLabel('Reason').fill('They called us');
  await theirs.getByRole('dialog').getByRole('button', { name: 'Clear failed cards' }).click();
  await theirs.getByText('The failed cards count no more.').waitFor();
  await theirs.getByRole('button', { name: 'Change daily limit' }).click();
  await theirs.getByLabel('May pay in within 24 hours').fill('1,200');
  await theirs.getByLabel('Reason').fill('Known customer');
  await expectUsable(theirs);
  await keepScreenshot(theirs, 'daily-limit');
  await theirs.getByRole('dialog').getByRole('button', { name: 'Change daily limit' }).click();
  await theirs.getByText('An operator set the limit.').waitFor();
  await theirs.goto(tollgate.page(account, '/audit'));
  await theirs.getByRole('row', { name: /Change daily limit of payments/ }).waitFor();
  await theirs.getByRole('row', { name: /Clear failed cards/ }).waitFor();

  await pay.click();
  await payWith(page, CARD);
  await page.getByText('$20 was credited').waitFor();
});

it('a disputed payment that was spent: the page says why requests are refused, and a payment lifts it', async () => {
  const { account, page } = await paid('Disputed');
  const operator = await tollgate.operator();
  await operator.api.ok('POST /accounts/{account_id}/deposits', {
    path: { account_id: account },
    body: { kind: 'adjustment', amount: '-45', reason: 'Spent', idempotency_key: randomUUID() },
  });
  const { data } = await operator.api.ok('GET /accounts/{account_id}/payments', { path: { account_id: account } });
  await control('dispute', { charge: await chargeOf(data[0]?.provider_payment ?? '') });
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByText('Requests are refused, because the account owes money.').waitFor();
  await page.getByText('as by a disputed payment. The next top-up pays $45.00 of debt first.').waitFor();
  await page.getByRole('row', { name: /Visa 4242, \$50 disputed/ }).waitFor();
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    await drawn(page);
    await expectUsable(page);
    await keepScreenshot(page, `disputed-${width}`);
  }
  await page.getByLabel('Or another amount').fill('50');
  await page.getByRole('button', { name: 'Pay $50' }).click();
  await payWith(page, CARD);
  await page.getByText('$50 was credited').waitFor();
  await page.getByRole('link', { name: '$5.00 left' }).waitFor();
  expect(await page.getByText('Requests are refused').count()).toBe(0);
});

it('a card is saved when its payer agrees, and removed', async () => {
  const account = await tollgate.createAccount('Saves a card');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByRole('button', { name: 'Saved cards' }).click();
  await page.getByText('No cards are saved').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Save this card for later payments').click();
  await page.getByRole('button', { name: 'Pay $20' }).click();
  await payWith(page, CARD);
  await page.getByText('$20 was credited').waitFor();
  await page.getByRole('button', { name: 'Saved cards' }).click();
  await page.getByRole('dialog').getByText('Visa 4242').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'saved-cards');
  await page.getByRole('button', { name: 'Remove Visa 4242' }).click();
  await page.getByRole('button', { name: 'Remove card' }).click();
  await page.getByText('Visa 4242 is removed.').waitFor();
  await page.getByText('No cards are saved').waitFor();
});

it('a request that was refused for lack of credit leads to the form, and the payment back to it', async () => {
  const account = await tollgate.createAccount('Ran dry');
  const owner = await tollgate.person('owner', account);
  const { secret } = await createKey(owner, account, { name: 'ci' });
  await expect(chat(tollgate.facts.base_url, secret)).rejects.toThrow('400');
  const [refused] = await requestsOf(owner, account, 1, { status: 'refused' });
  const request = tollgate.page(account, `/requests/${refused?.request_id}`);
  const { page } = await tollgate.open(owner);
  await page.goto(request);
  await page.getByRole('main').getByRole('link', { name: 'Top up' }).click();
  await page.getByRole('link', { name: 'Back to the request' }).click();
  await page.waitForURL(request);
  await page.goBack();
  await page.getByRole('button', { name: 'Pay $20' }).click();
  await payWith(page, CARD);
  await page.getByText('$20 was credited').waitFor();
  await page.getByRole('link', { name: 'Back to the request that was refused' }).click();
  await page.waitForURL(request);
});

it('looks right at every width, light and dark', async () => {
  const { account, page } = await paid('At every width', 'operator');
  await toCheckout(page, account, '35');
  await payWith(page, DECLINED);
  await page.getByRole('link', { name: 'Go back without paying' }).click();
  await page.getByText('Nothing was paid').waitFor();
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await loaded(page);
      await drawn(page);
      await expectUsable(page);
      await keepScreenshot(page, `pay-${width}-${theme}`);
    }
  }
});

/** A second console before the same services, without payments. */
let without: ServedConsole;

beforeAll(async () => {
  const { grpc, database_url: databaseUrl, base_url: gateway } = tollgate.facts;
  without = await serveConsole({ ...grpc, databaseUrl, gateway });
});
afterAll(() => without?.stop());

it('without payments, a customer learns who credits the account', async () => {
  const account = await tollgate.createAccount('Paid by invoice', '7');
  const { page, context } = await tollgate.open();
  const { personId } = await tollgate.person('owner', account);
  const { cookie } = await without.signIn(personId);
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: without.url, httpOnly: true, sameSite: 'Strict' }]);
  await page.goto(`${without.url}/accounts/${account}/top-up`);
  await page.getByText('How to top up').waitFor();
  await page.getByRole('row', { name: /For a test.*\$7\.00$/ }).waitFor();
  expect(await page.getByRole('heading', { name: 'Pay by card' }).count()).toBe(0);
});
