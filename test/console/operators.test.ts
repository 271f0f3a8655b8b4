import { expect, it } from 'vitest';
import { chat } from './support/gateway-calls.ts';
import { requestsOf } from './support/requests-of.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

it('an operator views an account as its members do: read-only, under a banner, and recorded', async () => {
  const account = await tollgate.createAccount('Viewed account', '5');
  const { key } = await createKey(await tollgate.operator(), account, { name: 'seen' });
  const operator = await tollgate.person('operator');
  const { page } = await tollgate.open(operator);
  await page.goto(`${tollgate.url}/operator/accounts?q=Viewed`);
  await page.getByRole('button', { name: 'Actions for Viewed account' }).click();
  await page.getByRole('menuitem', { name: /^View as its members/ }).click();
  await page.waitForURL(tollgate.page(account, '/overview'));
  await page.getByText('Nothing can be changed, and the audit log records it.').waitFor();
  expect(await page.getByRole('heading', { name: 'Operator' }).count()).toBe(0);
  await page.goto(tollgate.page(account, `/keys/${key.key_id}`));
  await page.getByRole('heading', { level: 1, name: 'seen' }).waitFor();
  for (const name of ['Delete key', 'Rotate', 'Save changes'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  await expectUsable(page);
  await keepScreenshot(page, 'view-as');
  const path = { account_id: account, key_id: key.key_id };
  expect(await operator.api.call('DELETE /accounts/{account_id}/keys/{key_id}', { path })).toMatchObject({
    status: 403,
    error: { code: 'not_allowed' },
  });
  await page.goto(`${tollgate.url}/operator/accounts`);
  await page.getByText('There is no page at this address').waitFor();

  await page.getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL(`${tollgate.url}/operator/accounts`);
  await page.getByRole('link', { name: 'Viewed account' }).waitFor();
  await page.goto(tollgate.page(account, '/audit'));
  const row = page.getByRole('row', { name: /View account/ }).filter({ hasText: operator.email });
  await row.click();
  await page.getByRole('dialog').getByText('account.view', { exact: true }).waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'audit-entry');
});

it('an operator creates an account and credits it in one go', async () => {
  const { page } = await tollgate.open(await tollgate.operator());
  await page.goto(`${tollgate.url}/operator/accounts?new=1`);
  await page.getByRole('dialog').getByLabel('Name').fill('New customer');
  await page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL(/\/accounts\/[0-9a-f-]{36}\/top-up\?credit=1$/);
  await page.getByRole('dialog', { name: 'Credit account' }).waitFor();
});

it('an operator finds the leaked key of another account, sees whose it is, and kills it', async () => {
  const open = await tollgate.createAccount('Open account');
  const leaking = await tollgate.createAccount('Leaking account', '5');
  const operator = await tollgate.operator();
  const { secret } = await createKey(operator, leaking, { name: 'in-a-gist' });
  for (const url of tollgate.facts.base_urls) await chat(url, secret);
  const { page } = await tollgate.open(operator);
  await page.goto(tollgate.page(open, '/keys?leaked=1'));
  await page.getByLabel('The key, or its last four characters').fill(secret);
  await page.getByRole('button', { name: 'Find key' }).click();
  const row = page.getByRole('dialog').getByRole('row', { name: /in-a-gist/ });
  await row.getByRole('link', { name: 'Leaking account' }).waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'leaked-in-another-account');
  await row.getByRole('button', { name: 'Delete key' }).click();
  await page.getByRole('dialog').getByText('Leaking account').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
  await page.getByText(/^Dead on 3 of 3 ingresses after/).waitFor();
  for (const url of tollgate.facts.base_urls) await expect(chat(url, secret)).rejects.toMatchObject({ status: 401 });
  await page.getByRole('button', { name: 'Done' }).click();
  await row.getByText('Deleted').waitFor();
  expect(await row.getByRole('button', { name: 'Delete key' }).count()).toBe(0);
});

it('a suspended account is refused on every ingress until it is resumed', async () => {
  const account = await tollgate.createAccount('Suspended account', '5');
  const operator = await tollgate.operator();
  const { secret } = await createKey(operator, account, { name: 'paused' });
  await chat(tollgate.facts.base_url, secret);
  const { page } = await tollgate.open(operator);
  await page.goto(tollgate.page(account, '/settings'));
  await page.getByRole('button', { name: 'Suspend account' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Unpaid invoice 7');
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend account' }).click();
  await page.getByText('Reason: Unpaid invoice 7').waitFor();
  for (const url of tollgate.facts.base_urls) await expect(chat(url, secret)).rejects.toMatchObject({ status: 401 });
  await expectUsable(page);
  await keepScreenshot(page, 'account-suspended');
  await page.getByRole('button', { name: 'Resume account' }).click();
  await page.getByText('Its keys are accepted again.').waitFor();
  for (const url of tollgate.facts.base_urls) expect(await chat(url, secret)).not.toBe('');
});

it('an operator searches all accounts from any page, and opens what is found where it belongs', async () => {
  const account = await tollgate.createAccount('Hidden Valley', '5');
  const elsewhere = await tollgate.createAccount('Elsewhere');
  const operator = await tollgate.operator();
  const { key, secret } = await createKey(operator, account, { name: 'valley-batch' });
  await chat(tollgate.facts.base_url, secret);
  const [request] = await requestsOf(operator, account, 1);
  const { page } = await tollgate.open(operator);
  const sent: string[] = [];
  page.on('request', (each) => sent.push(each.url()));
  await page.goto(`${tollgate.url}/operator/accounts`);
  const search = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill(text);
  };
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
  await search('hidden val');
  await page.getByRole('option', { name: /^Hidden Valley.*Account$/ }).waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'search-all-accounts');
  await page.getByRole('option', { name: /^Hidden Valley.*Account$/ }).click();
  await page.waitForURL(tollgate.page(account, '/overview'));
  await page.goto(tollgate.page(elsewhere, '/overview'));
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await search(request?.trace_id ?? '');
  await page.getByRole('option', { name: /Hidden Valley.*Request$/ }).click();
  await page.waitForURL(tollgate.page(account, `/requests/${request?.request_id}`));
  await page.goto(tollgate.page(elsewhere, '/overview'));
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await search(secret);
  await page.getByRole('option', { name: /^valley-batch.*Key$/ }).click();
  await page.waitForURL(tollgate.page(account, `/keys/${key.key_id}`));
  expect(sent.filter((url) => url.includes(secret.slice(12)))).toEqual([]);
});

it('says that an account does not exist, instead of showing an empty one', async () => {
  const { page } = await tollgate.open(await tollgate.operator());
  for (const id of ['01a226fc-0000-7000-8000-000000000000', 'nonsense']) {
    await page.goto(`${tollgate.url}/accounts/${id}/overview`);
    await page.getByText('No such account', { exact: true }).waitFor();
  }
  await expectUsable(page);
  await keepScreenshot(page, 'no-such-account');
});

it('the audit log of all accounts names the account, filters by it and leads to what was changed', async () => {
  const account = await tollgate.createAccount('Audited account', '5');
  const operator = await tollgate.operator();
  const { key } = await createKey(operator, account, { name: 'audited-key' });
  const { page } = await tollgate.open(operator);
  await page.goto(`${tollgate.url}/operator/audit?account=${account}`);
  const rows = page.getByRole('table', { name: 'Audit log of all accounts' }).locator('tr[data-row]');
  await expect.poll(() => rows.count()).toBe(3);
  await page.getByRole('link', { name: 'Audited account' }).first().waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'audit-of-all-accounts');
  await page.getByRole('link', { name: 'audited-key' }).click();
  await page.waitForURL(tollgate.page(account, `/keys/${key.key_id}`));
});

it('a change in one tab shows in another', async () => {
  const account = await tollgate.createAccount('Two tabs', '5');
  const { page, context } = await tollgate.open(await tollgate.operator());
  await page.goto(tollgate.page(account, '/keys'));
  await page.getByText('No keys yet').waitFor();
  const other = await context.newPage();
  await other.goto(tollgate.page(account, '/keys?new=1'));
  await other.getByLabel('Name', { exact: true }).fill('from-the-other-tab');
  // Once in a while the list is read again anyway: that would hide a missing message.
  const readAgain = page.waitForResponse((response) => response.url().includes(`/accounts/${account}/keys?`), {
    timeout: 5_000,
  });
  await other.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await readAgain;
  await page.getByRole('link', { name: 'from-the-other-tab' }).waitFor();
});

it('accounts show when they run out, and their sums', async () => {
  const account = await tollgate.createAccount('Running out', '5');
  const operator = await tollgate.operator();
  const { secret } = await createKey(operator, account, { name: 'spender' });
  await chat(tollgate.facts.base_url, secret);
  await requestsOf(operator, account, 1);
  const { page } = await tollgate.open(operator);
  await page.goto(`${tollgate.url}/operator/accounts?q=Running out`);
  await page.getByRole('columnheader', { name: 'Runs out' }).waitFor();
  await page.getByText('Run out within 7 days').waitFor();
  expect(await page.getByRole('definition').first().textContent()).toMatch(/^\$4\.99|\$5\.00$/);
  await expectUsable(page);
  await keepScreenshot(page, 'accounts-running-out');
});

it('Back returns from a range that was chosen in the chart', async () => {
  const { page } = await tollgate.open(await tollgate.operator());
  const overview = tollgate.page(await tollgate.demoAccount(), '/overview');
  await page.goto(overview);
  const chart = page.getByLabel(/arrows read out the bars/);
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForURL(/[?&]start=/);
  await page.goBack();
  await page.waitForURL(overview);
  await page.getByRole('button', { name: /Last 7 days/ }).waitFor();
});

it("an operator compares a provider's export with what was metered", async () => {
  const account = await tollgate.createAccount('Billed account', '5');
  const operator = await tollgate.operator();
  const { secret } = await createKey(operator, account, { name: 'billed' });
  await chat(tollgate.facts.base_url, secret);
  const { page } = await tollgate.open(operator);
  await page.goto(`${tollgate.url}/operator/providers`);
  await page.getByRole('link', { name: 'Bills' }).first().click();
  await page.getByText('No bill was imported for this range').waitFor();
  const day = new Date().toISOString().slice(0, 10);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose file' }).click();
  const buffer = Buffer.from(`usage_date_utc,model,cost_usd\n${day},Unmetered model,1.25\n`);
  await (await choosing).setFiles({ name: 'costs.csv', mimeType: 'text/csv', buffer });
  const row = page.getByRole('row', { name: /Unmetered model/ });
  await row.getByText('Differs').waitFor();
  await row.getByText('$1.25').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'provider-bills');
});
