import { expect, it } from 'vitest';
import { NARROW } from './support/browser.ts';
import { chat } from './support/gateway-calls.ts';
import { loaded } from './support/loaded.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();
const NONE = { day: null, week: null, month: null, total: null };

/** A key below another one, as an agent makes it. */
async function derive(secret: string, name: string): Promise<void> {
  const response = await fetch(`${tollgate.facts.base_url}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, caps: { total: '0.5' } }),
  });
  expect(response.status).toBe(201);
}

it('the tree has what is spent of the tightest cap of each project, owner and key', async () => {
  const account = await tollgate.createAccount('Tree', '50');
  const admin = await tollgate.person('admin', account);
  const path = { account_id: account };
  const { project_id } = await admin.api.ok('POST /accounts/{account_id}/projects', {
    path,
    body: { name: 'Checkout', caps: { ...NONE, month: '10' }, each_key: { ...NONE, day: '0.001' } },
  });
  const { service_account_id } = await admin.api.ok(
    'POST /accounts/{account_id}/projects/{project_id}/service-accounts',
    { path: { ...path, project_id }, body: { name: 'nightly', caps: { ...NONE, week: '4' } } },
  );
  const { key, secret } = await createKey(admin, account, { name: 'nightly-1', service_account_id });
  await derive(secret, 'run 7');
  await chat(tollgate.facts.base_url, secret);

  const { page } = await tollgate.open(admin);
  await page.goto(tollgate.page(account, '/limits'));
  const table = page.getByRole('table', { name: 'Limits' });
  const row = (name: string) => table.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row('Checkout').getByText('$10').first().waitFor();
  await row('nightly')
    .getByRole('img', { name: /^Weekly cap: / })
    .waitFor();
  // What the call cost is settled, and read again.
  await row('nightly-1')
    .getByRole('img', { name: /^Daily cap: (?!\$0\.00 ).* spent/ })
    .waitFor();
  await row('default').getByText('None').waitFor();
  await page.getByText('the tightest decides').waitFor();
  expect(await row('run 7').count()).toBe(0);
  await page.getByRole('button', { name: 'Unfold nightly-1' }).click();
  await row('run 7')
    .getByRole('img', { name: /^Total cap: / })
    .waitFor();
  await page.getByRole('button', { name: 'Fold nightly', exact: true }).click();
  await row('nightly-1').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Unfold nightly', exact: true }).click();
  for (const width of [1440, 1280, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    await loaded(page);
    await expectUsable(page);
    await keepScreenshot(page, `limits-${width}`);
  }
  await page.setViewportSize(NARROW);
  await loaded(page);
  await expectUsable(page);
  await keepScreenshot(page, 'limits-narrow');
  await page.setViewportSize({ width: 1280, height: 900 });

  await page.getByRole('link', { name: 'nightly', exact: true }).click();
  await page.getByRole('dialog', { name: 'nightly' }).getByLabel('Cap per week').waitFor();
  await page.goto(tollgate.page(account, `/projects/${project_id}`));
  await page.getByRole('main').getByRole('link', { name: 'Limits' }).click();
  await row('Checkout').waitFor();
  await row('default').waitFor({ state: 'detached' });
  await row('nightly-1').getByRole('link').click();
  await page.waitForURL(tollgate.page(account, `/keys/${key.key_id}`));
});
