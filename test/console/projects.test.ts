import { APIError } from 'openai';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { NARROW } from './support/browser.ts';
import { chat } from './support/gateway-calls.ts';
import { loaded } from './support/loaded.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

/** The status with which a call is refused; null: it is answered. */
async function refusal(secret: string): Promise<number | null> {
  try {
    await chat(tollgate.facts.base_url, secret);
    return null;
  } catch (error) {
    if (error instanceof APIError) return error.status ?? 0;
    throw error;
  }
}

const hasFocus = (page: Page, label: string) =>
  page.getByLabel(label).evaluate((element) => element === element.ownerDocument.activeElement);

/** An account with a project and a key in it, and its owner, who has opened the page of the project. */
async function openProject(name: string) {
  const account = await tollgate.createAccount(name, '50');
  const owner = await tollgate.person('owner', account);
  const path = { account_id: account };
  const { project_id } = await owner.api.ok('POST /accounts/{account_id}/projects', { path, body: { name: 'Pilot' } });
  const { key, secret } = await createKey(owner, account, { name: 'pilot-key', project_id });
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, `/projects/${project_id}`));
  return { account, owner, path: { ...path, project_id }, key, secret, page };
}

it('a project with a cap has a service account with a key, which is refused while the project is off', async () => {
  const account = await tollgate.createAccount('Projects', '50');
  const { page } = await tollgate.open(await tollgate.person('admin', account));
  await page.goto(tollgate.page(account, '/projects'));
  await page.getByRole('table', { name: 'Projects' }).getByRole('link', { name: 'default' }).waitFor();
  await page.getByRole('button', { name: 'Create project' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('default');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await dialog.getByText(/name/i).and(dialog.locator('[slot="errorMessage"]')).waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('Checkout');
  await dialog.getByLabel('Cap per month').fill('10');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { level: 1, name: 'Checkout' }).waitFor();
  await page.getByText('$10 a month').waitFor();

  await page.getByRole('button', { name: 'Create service account' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('nightly');
  await dialog.getByLabel('Cap per day').fill('2');
  await dialog.getByRole('button', { name: 'Create service account' }).click();
  await page.getByRole('table', { name: 'Service accounts' }).getByText('$2 a day').waitFor();

  await page.getByRole('button', { name: 'Actions for nightly' }).click();
  await page.getByRole('menuitem', { name: 'Create key' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('nightly-1');
  await dialog.getByRole('button', { name: 'Checkout' }).waitFor();
  await dialog.getByRole('button', { name: 'nightly' }).waitFor();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secret = await dialog.getByText(/^sk-/).first().textContent();
  await dialog.getByRole('button', { name: 'Done' }).click();
  expect(await refusal(secret ?? '')).toBeNull();

  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('requests with its keys are refused').waitFor();
  await expect.poll(() => refusal(secret ?? '')).toBe(401);
  await expectUsable(page);
  await keepScreenshot(page, 'project-off');
  await page.getByRole('button', { name: 'Switch on' }).click();
  await expect.poll(() => refusal(secret ?? '')).toBeNull();

  await page.getByRole('table', { name: 'Keys' }).getByRole('link', { name: 'nightly-1' }).click();
  await page.getByRole('heading', { level: 1, name: 'nightly-1' }).waitFor();
  await page.getByRole('link', { name: 'Checkout' }).waitFor();
  await page.getByRole('button', { name: 'Move' }).click();
  await dialog.getByRole('button', { name: 'Checkout' }).click();
  await page.getByRole('option', { name: 'default' }).click();
  await dialog.getByRole('button', { name: 'Move key' }).click();
  await page.getByRole('link', { name: 'default' }).waitFor();
  expect(await refusal(secret ?? '')).toBeNull();
});

it('defaults of a project limit each of its keys', async () => {
  const { key, secret, page } = await openProject('Defaults');
  await page.getByLabel('Each key per day').fill('a few');
  await page.getByRole('button', { name: 'Save defaults' }).click();
  await page.getByText('Enter an amount in dollars').waitFor();
  await page.getByLabel('Each key per day').fill('0.00001');
  await page.getByLabel('Each session').fill('5');
  await page.getByRole('button', { name: 'Save defaults' }).click();
  await expect.poll(() => refusal(secret)).toBe(400);
  await expectUsable(page);
  await keepScreenshot(page, 'project-defaults');
  await page.reload();
  expect(await page.getByLabel('Each session').inputValue()).toBe('5');
  await page
    .getByRole('table', { name: 'Keys' })
    .getByRole('img', { name: /^Daily cap: / })
    .waitFor();
  await page.getByRole('link', { name: key.name }).click();
  await page.getByText('Default of the project, resets').waitFor();
  await page.getByText('$5 (default of the project)').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'key-defaults');
  await page.goBack();
  await page.getByLabel('Each key per day').fill('');
  await page.getByRole('button', { name: 'Save defaults' }).click();
  await expect.poll(() => refusal(secret)).toBeNull();
});

it('a deleted project takes its keys with it', async () => {
  const { account, key, secret, page } = await openProject('Deleted project');
  await page.getByRole('button', { name: 'Delete project' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Pilot' });
  await dialog.getByText('All keys of this project die at once').waitFor();
  await expectUsable(page);
  await dialog.getByRole('button', { name: 'Delete project' }).click();
  await page.waitForURL(tollgate.page(account, '/projects'));
  expect(await refusal(secret)).toBe(401);
  await page.getByRole('link', { name: 'Pilot' }).waitFor({ state: 'detached' });
  await page.goto(tollgate.page(account, `/keys/${key.key_id}`));
  await page.getByText('The project of this key is deleted').waitFor();
  await page.getByText('Pilot (deleted)').waitFor();
  expect(await page.getByRole('button', { name: 'Move' }).count()).toBe(0);
});

it('a service account has defaults for its keys, and is lifted above the defaults of its project', async () => {
  const { owner, path, page } = await openProject('Owners');
  const NONE = { day: null, week: null, month: null, total: null };
  await owner.api.ok('PATCH /accounts/{account_id}/projects/{project_id}', {
    path,
    body: { each_service_account: { ...NONE, day: '2' } },
  });
  await page.getByRole('button', { name: 'Create service account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('nightly');
  await dialog.getByLabel('Cap per day').fill('3');
  await dialog.getByText('Defaults for its keys and sessions').click();
  await dialog.getByLabel('Each key per month').fill('7');
  await dialog.getByLabel('Each session').fill('1');
  await dialog.getByRole('button', { name: 'Create service account' }).click();
  await dialog.getByText('more than the default above it, $2').waitFor();
  await dialog.getByText('Its own caps count instead').click();
  await dialog.getByRole('button', { name: 'Create service account' }).click();
  const table = page.getByRole('table', { name: 'Service accounts' });
  await table.getByText('$3 a day').waitFor();
  await table.getByText('nightly').click();
  expect(await dialog.getByLabel('Each key per month').inputValue()).toBe('7');
  expect(await dialog.getByLabel('Each session').inputValue()).toBe('1');
  await dialog.getByText('Its own caps count instead').click();
  await keepScreenshot(page, 'service-account-defaults');
  await dialog.getByRole('button', { name: 'Save changes' }).click();
  await table.getByText('$2 a day (default of the project)').waitFor();
  await expectUsable(page);
});

it('links of errors lead to the cap of a project, a service account or a member', async () => {
  const account = await tollgate.createAccount('Raised', '50');
  const owner = await tollgate.person('owner', account);
  const path = { account_id: account };
  const caps = { day: '1', week: '5', month: null, total: null };
  const { project_id } = await owner.api.ok('POST /accounts/{account_id}/projects', {
    path,
    body: { name: 'Team', caps },
  });
  const { service_account_id } = await owner.api.ok(
    'POST /accounts/{account_id}/projects/{project_id}/service-accounts',
    {
      path: { ...path, project_id },
      body: { name: 'ci', caps },
    },
  );
  await createKey(owner, account, { name: 'mine', project_id });
  const members = await owner.api.ok('GET /accounts/{account_id}/projects/{project_id}/members', {
    path: { ...path, project_id },
  });
  const { page } = await tollgate.open(owner);
  const address = tollgate.page(account, `/projects/${project_id}`);
  await page.goto(`${address}?node=${project_id}&raise=week`);
  await expect.poll(() => hasFocus(page, 'Cap per week')).toBe(true);
  expect(await page.getByRole('dialog').count()).toBe(0);
  for (const [node, title] of [
    [service_account_id, 'ci'],
    [members.data[0]?.node_id, owner.email],
  ]) {
    await page.goto(`${address}?node=${node}&raise=day`);
    const dialog = page.getByRole('dialog', { name: title ?? '' });
    await dialog.waitFor();
    const field = dialog.getByLabel('Cap per day');
    await expect.poll(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await field.fill('7');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('$7 a day').first().waitFor();
  }
  await page.setViewportSize(NARROW);
  await loaded(page);
  await expectUsable(page);
  await keepScreenshot(page, 'project-narrow-light');
});

it('keys are told apart by project, and a developer makes one in a project but changes no project', async () => {
  const account = await tollgate.createAccount('Two projects', '50');
  const owner = await tollgate.person('owner', account);
  const developer = await tollgate.person('developer', account);
  const path = { account_id: account };
  const { page } = await tollgate.open(developer);
  await page.goto(tollgate.page(account, '/keys?new=1'));
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).waitFor();
  await loaded(page);
  expect(await page.getByRole('dialog').getByText('Project').count()).toBe(0);
  const { project_id } = await owner.api.ok('POST /accounts/{account_id}/projects', { path, body: { name: 'Lab' } });
  await page.goto(tollgate.page(account, '/keys?new=1'));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('lab-key');
  await dialog.getByRole('button', { name: 'default' }).click();
  await page.getByRole('option', { name: 'Lab' }).click();
  expect(await dialog.getByText('Owner').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('table', { name: 'Keys' }).getByText('Lab', { exact: true }).waitFor();

  await page.goto(tollgate.page(account, `/projects/${project_id}`));
  await page.getByRole('table', { name: 'Keys' }).getByRole('link', { name: 'lab-key' }).waitFor();
  for (const name of ['Switch off', 'Delete project', 'Save changes', 'Create service account']) {
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  }
  await expectUsable(page);

  await createKey(owner, account, { name: 'other-key' });
  const { page: keys } = await tollgate.open(owner);
  await keys.goto(tollgate.page(account, '/keys'));
  await keys.getByRole('link', { name: 'other-key' }).waitFor();
  await keys.getByRole('button', { name: 'Project', exact: true }).first().click();
  await keys.getByRole('button', { name: 'Lab' }).click();
  await keys.getByRole('link', { name: 'other-key' }).waitFor({ state: 'detached' });
  await keys.getByRole('link', { name: 'lab-key' }).waitFor();
  await expectUsable(keys);
});
