import { APIError } from 'openai';
import { expect, it } from 'vitest';
import { chat } from './support/gateway-calls.ts';
import { requestsOf } from './support/requests-of.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

/** Calls until the cap of the key refuses. Returns where its error leads. */
async function callUntilRefused(secret: string): Promise<string> {
  for (let calls = 0; calls < 20; calls++) {
    try {
      await chat(tollgate.facts.base_url, secret);
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      expect(error.type).toBe('insufficient_balance');
      return (error.error as { details: { recharge_url: string } }).details.recharge_url;
    }
  }
  throw new Error('20 calls were not refused');
}

it('a key that hits its cap says so while it does, and its error leads to the field of the cap', async () => {
  const account = await tollgate.createAccount('Capped', '50');
  const admin = await tollgate.person('admin', account);
  const probe = await createKey(admin, account, { name: 'probe' });
  await chat(tollgate.facts.base_url, probe.secret);
  const [{ cost = '0' } = {}] = await requestsOf(admin, account, 1, { status: 'completed' });
  const day = (Number(cost) * 5).toFixed(9);
  const { key, secret } = await createKey(admin, account, {
    name: 'busy',
    caps: { day, week: null, month: '10', total: null },
  });

  const { page } = await tollgate.open(admin);
  await page.goto(tollgate.page(account, `/keys/${key.key_id}`));
  await page.getByRole('heading', { level: 1, name: 'busy' }).waitFor();
  expect(await page.getByText('Cap reached').count()).toBe(0);
  const link = await callUntilRefused(secret);
  await page.getByRole('button', { name: 'Raise the cap' }).waitFor();
  await page.getByText(/requests of this key are refused\. It resets at .*00:00.*UTC/).waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'cap-reached');

  expect(link).toBe(tollgate.page(account, `/keys/${key.key_id}?raise=day`));
  await page.goto(link);
  const field = page.getByLabel('Cap per day');
  await expect.poll(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await page.getByRole('heading', { level: 1, name: 'busy' }).click();
  await page.getByRole('button', { name: 'Raise the cap' }).click();
  await expect.poll(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.type('5');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('button', { name: 'Raise the cap' }).waitFor({ state: 'detached' });
  await chat(tollgate.facts.base_url, secret);

  const owner = await tollgate.person('owner', account);
  const { page: alerts } = await tollgate.open(owner);
  await alerts.goto(tollgate.page(account, '/alerts'));
  await alerts.getByText(/^The key busy has reached its daily cap of \$/).waitFor();
  await expectUsable(alerts);
});

it('keys are sorted by what they have spent, and by the share of their caps', async () => {
  const account = await tollgate.createAccount('Sorted keys', '50');
  const owner = await tollgate.person('owner', account);
  const free = await createKey(owner, account, { name: 'no-cap' });
  const wide = { day: null, week: null, month: '40', total: null };
  const capped = await createKey(owner, account, { name: 'wide-cap', caps: wide });
  await createKey(owner, account, { name: 'unused', caps: wide });
  for (const { secret } of [free, free, free, capped]) await chat(tollgate.facts.base_url, secret);
  await requestsOf(owner, account, 4);
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/keys?sort=-spent'));
  const rows = page.getByRole('table', { name: 'Keys' }).locator('tr[data-row]');
  const names = () => rows.locator('a').allTextContents();
  await expect.poll(names).toEqual(['no-cap', 'wide-cap', 'unused']);
  const texts = await rows.allTextContents();
  expect(texts[0]).toContain('None');
  expect(texts[1]).toMatch(/\d % of \$40\.00 this month/);
  await page.goto(tollgate.page(account, '/keys?sort=-cap'));
  await expect.poll(names).toEqual(['wide-cap', 'unused', 'no-cap']);
  await expectUsable(page);
  await keepScreenshot(page, 'keys-sorted');
});
