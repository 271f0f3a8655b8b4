import { expect, it } from 'vitest';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { useConsole } from './support/use-console.ts';

const tollgate = useConsole();

it('an operator credits an account: the history and the balance in the header follow', async () => {
  const account = await tollgate.createAccount('Topped up', '10');
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByRole('link', { name: '$10.00 left' }).waitFor();
  await page.getByRole('button', { name: 'Credit account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('-1');
  await dialog.getByLabel('Reason').fill('Paid by invoice 42');
  await dialog.getByRole('button', { name: 'Credit account' }).click();
  await expect.poll(() => dialog.getByLabel('Amount').getAttribute('aria-invalid')).toBe('true');
  await expectUsable(page);
  await keepScreenshot(page, 'deposit');
  await dialog.getByLabel('Amount').fill('99.5');
  await dialog.getByRole('button', { name: 'Credit account' }).click();
  await page.getByRole('row', { name: /Paid by invoice 42.*\$99\.50$/ }).waitFor();
  await page.getByRole('link', { name: '$109.50 left' }).waitFor();
});

it('a voucher is redeemed on the page for topping up, once', async () => {
  const account = await tollgate.createAccount('Lucky', '1');
  const operator = await tollgate.operator();
  const { data } = await operator.api.ok('POST /operator/vouchers', { body: { amount: '7', reason: 'A fair' } });
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  await page.goto(tollgate.page(account, '/top-up'));
  await page.getByLabel('Code').fill('no such code');
  await page.getByRole('button', { name: 'Redeem' }).click();
  await page.getByText(/There is no such voucher/i).waitFor();
  await page.getByLabel('Code').fill(data[0]?.code.toLowerCase() ?? '');
  await page.getByRole('button', { name: 'Redeem' }).click();
  await page.getByText('The voucher gave $7.00.').waitFor();
  await page.getByRole('table', { name: 'Top-ups' }).getByText('A fair').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'voucher');
});

it('credit that ends is shown with what is left of it, in the order in which it is spent', async () => {
  const account = await tollgate.createAccount('Promoted', '10');
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(account, '/top-up?credit=1'));
  const nextYear = new Date().getUTCFullYear() + 1;
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('5');
  await dialog.getByLabel('Reason').fill('Welcome');
  await dialog.getByRole('button', { name: /Credit is/ }).click();
  await page.getByRole('option', { name: /^Granted/ }).click();
  await dialog.getByLabel('Last day').fill(`${nextYear}-12-31`);
  await expectUsable(page);
  await keepScreenshot(page, 'deposit-with-end');
  await dialog.getByRole('button', { name: 'Credit account' }).click();
  const credit = page.getByRole('table', { name: 'Credit' });
  await expect
    .poll(() => credit.getByRole('row').allTextContents())
    .toEqual([
      expect.stringMatching(/^Kind.*Left$/),
      expect.stringMatching(new RegExp(`^Granted.*end of 31 Dec ${nextYear}.*\\$5\\.00$`)),
      expect.stringMatching(/^Paid.*Never.*\$10\.00$/),
    ]);
  await keepScreenshot(page, 'credit');
  await page.setViewportSize({ width: 390, height: 844 });
  await expectUsable(page);
  await keepScreenshot(page, 'credit-phone');
});

it('the balance that a refused client is sent to leads an owner to the history', async () => {
  const account = await tollgate.createAccount('Sent to top up', '7');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  // The address in `details.recharge_url` names no account.
  await page.goto(`${tollgate.url}/top-up`);
  await page.waitForURL(tollgate.page(account, '/top-up'));
  await page.getByRole('heading', { name: 'Pay by card' }).waitFor();
  await page.getByRole('row', { name: /For a test.*\$7\.00$/ }).waitFor();
});

it('owners change the name and the thresholds', async () => {
  const account = await tollgate.createAccount('Old name', '10');
  const owner = await tollgate.person('owner', account);
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/settings'));
  await page.getByLabel('Name of the account').fill('New name');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('The name is changed.').waitFor();
  await page.getByRole('banner').getByText('New name').waitFor();
  expect(await page.getByRole('button', { name: 'Save limits' }).count()).toBe(0);

  await page.goto(tollgate.page(account, '/alerts'));
  await page.getByText('There are no default thresholds').waitFor();
  await page.getByRole('button', { name: 'Add threshold' }).click();
  await page
    .getByLabel(/^Threshold/)
    .last()
    .fill('2.50');
  await page.getByRole('button', { name: 'Save thresholds' }).click();
  await page.getByText('The thresholds are changed.').waitFor();
  const path = { account_id: account };
  await expect
    .poll(() => owner.api.ok('GET /accounts/{account_id}/alerts', { path }))
    .toMatchObject({ own: true, thresholds: expect.arrayContaining([expect.stringMatching(/^2\.50*$/)]) });
  await page.getByRole('button', { name: 'Use the defaults' }).click();
  await page.getByText('There are no default thresholds').waitFor();
});

it('operators change limits and discount, which everybody else sees', async () => {
  const account = await tollgate.createAccount('Limited', '10');
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(account, '/settings'));
  await page.getByLabel('Requests per minute').fill('1,200');
  await page.getByLabel('Open requests').fill('20');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('The limits are changed at every ingress.').waitFor();
  await page.getByLabel('Discount').fill('12.5');
  await page.getByRole('button', { name: 'Save discount' }).click();
  await page.getByText(/^The discount is changed/).waitFor();
  const { page: theirs } = await tollgate.open(await tollgate.person('billing', account));
  await theirs.goto(tollgate.page(account, '/settings'));
  await theirs.getByText('12.5% off the list price.').waitFor();
  await theirs.getByText('1,200', { exact: true }).waitFor();
});

it('operators give an account prices of its own, which it sees as list prices', async () => {
  const account = await tollgate.createAccount('Reseller', '10');
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(account, '/settings'));
  await page.getByText('Without a rule, the account pays list prices.').waitFor();
  const add = page.getByRole('button', { name: 'Add rule' });
  await add.click();
  await page.getByLabel('Models of rule 1').fill('*');
  await page.getByLabel('Change of rule 1').fill('2000');
  await page.getByRole('button', { name: 'Save prices' }).click();
  await expect.poll(() => page.getByLabel('Change of rule 1').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Change of rule 1').fill('-100');
  await add.click();
  const path = { account_id: account };
  const owner = await tollgate.person('owner', account);
  const { data: models } = await owner.api.ok('GET /accounts/{account_id}/models', { path });
  const first = models.find(({ price }) => Number(price?.rates['input']) > 0);
  await page.getByLabel('Models of rule 2').fill(first?.model ?? '');
  await page.getByLabel('Change of rule 2').fill('100');
  await page.getByRole('button', { name: 'Move rule 2 up' }).click();
  await page.getByRole('row', { name: new RegExp(`^${first?.model}`) }).waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'own-prices');
  const size = page.viewportSize() ?? { width: 1440, height: 900 };
  await page.setViewportSize({ width: 390, height: 844 });
  await expectUsable(page);
  await keepScreenshot(page, 'own-prices-390');
  await page.setViewportSize(size);
  await page.getByRole('button', { name: 'Save prices' }).click();
  await page.getByText(/^The prices are changed/).waitFor();
  await page.goto(tollgate.page(account, '/models'));
  await page.getByText('at prices of the account’s own.').waitFor();

  const { data: own } = await owner.api.ok('GET /accounts/{account_id}/models', { path });
  const inputOf = (model: string | undefined) =>
    Number(own.find((each) => each.model === model)?.price?.rates['input']);
  expect(inputOf(first?.model)).toBe(2 * Number(first?.price?.rates['input']));
  expect(own.filter(({ model }) => model !== first?.model).every(({ model }) => !(inputOf(model) > 0))).toBe(true);
  expect(await owner.api.ok('GET /accounts/{account_id}', { path })).not.toHaveProperty('price_rules');
  const { page: theirs } = await tollgate.open(owner);
  await theirs.goto(tollgate.page(account, '/settings'));
  await theirs.getByRole('heading', { name: 'Discount' }).waitFor();
  expect(await theirs.getByText('Prices of its own').count()).toBe(0);
  await theirs.goto(tollgate.page(account, '/models'));
  await theirs.getByText('US dollars per million tokens, at list price.').waitFor();
});
