import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chat } from './support/gateway-calls.ts';
import { PASSWORD, signIn } from './support/people.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

it('an owner invites somebody by a link, who sets a password and lands in the account', async () => {
  const account = await tollgate.createAccount('Research team');
  const { page } = await tollgate.open(await tollgate.person('owner', account));
  const email = `ana-${randomUUID().slice(0, 8)}@example.com`;
  await page.goto(tollgate.page(account, '/members'));
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: /Role$/ }).click();
  await page.getByRole('option', { name: /^Admin/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Invite member' }).click();
  await page.getByRole('button', { name: 'Copy invitation link' }).click();
  await page.getByRole('button', { name: 'Copied invitation link' }).waitFor();
  const link: string = await page.evaluate('navigator.clipboard.readText()');
  await expectUsable(page);
  await keepScreenshot(page, 'invitation-link');
  await page.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('table', { name: 'Invitations' }).getByText(email).waitFor();

  const { page: theirs } = await tollgate.open();
  await theirs.goto(link);
  await theirs.getByText('Research team').waitFor();
  // The secret does not stay in the address, where history and screenshots would keep it.
  expect(theirs.url()).toBe(`${tollgate.url}/invitation`);
  await theirs.getByLabel('Your name').fill('Ana Alvarez');
  await theirs.getByLabel('Password', { exact: true }).fill('short');
  await theirs.getByRole('button', { name: 'Join' }).click();
  await theirs.getByText('Use at least 12 characters.').waitFor();
  await expectUsable(theirs);
  await keepScreenshot(theirs, 'invitation');
  await theirs.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await theirs.getByRole('button', { name: 'Join' }).click();
  await theirs.waitForURL(tollgate.page(account, '/overview'));

  await page.reload();
  await page.getByRole('row', { name: /Ana Alvarez/ }).waitFor();
  expect(await page.getByRole('table', { name: 'Invitations' }).count()).toBe(0);
  const { page: again } = await tollgate.open();
  await again.goto(link);
  await again.getByText('This invitation cannot be used.').waitFor();
});

it('somebody known who sets another password by a shown link is told to sign in, and joins', async () => {
  const [home, account] = [await tollgate.createAccount('Home'), await tollgate.createAccount('Second team')];
  const { email } = await tollgate.person('developer', home);
  const { api } = await tollgate.person('owner', account);
  const body = { email, role: 'developer' as const };
  const { link } = await api.ok('POST /accounts/{account_id}/invitations', { path: { account_id: account }, body });
  const { page } = await tollgate.open();
  await page.goto(link ?? '');
  await page.getByLabel('Your name').fill('Devi');
  await page.getByLabel('Password', { exact: true }).fill('not the password they have');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  await page.getByRole('button', { name: 'I have signed in here before' }).click();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: `Accept as ${email}` }).click();
  await page.waitForURL(/\/overview$/);
  const { memberships } = (await (await signIn(tollgate.url, email, PASSWORD)).api.ok('GET /session')) ?? {};
  expect(memberships).toContainEqual(expect.objectContaining({ account_id: account }));
});

it('an owner changes a role, and withdraws an invitation', async () => {
  const account = await tollgate.createAccount('Roles change');
  const owner = await tollgate.person('owner', account);
  const developer = await tollgate.person('developer', account);
  const path = { account_id: account };
  const body = { email: 'never-joins@example.com', role: 'billing' as const };
  await owner.api.ok('POST /accounts/{account_id}/invitations', { path, body });
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/members'));
  await page.getByRole('button', { name: /Role of Devi Developer/ }).click();
  await page.getByRole('option', { name: /^Billing/ }).click();
  await page.getByRole('button', { name: /^Billing Role of Devi Developer/ }).waitFor();
  await page.getByRole('button', { name: 'Withdraw the invitation of never-joins@example.com' }).click();
  await page.getByText('never-joins@example.com').waitFor({ state: 'detached' });
  await expect
    .poll(() => owner.api.ok('GET /accounts/{account_id}/members', { path }))
    .toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ person_id: developer.personId, role: 'billing' })]),
      invitations: [],
    });
});

it('removing a member shows the keys they made, and deletes those that are chosen', async () => {
  const account = await tollgate.createAccount('Somebody leaves', '5');
  const owner = await tollgate.person('owner', account);
  const developer = await tollgate.person('developer', account);
  const shared = await createKey(developer, account, { name: 'shared-with-ci' });
  const own = await createKey(developer, account, { name: 'own-laptop' });
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/members'));
  await page.getByRole('button', { name: 'Actions for Devi Developer' }).click();
  await page.getByRole('menuitem', { name: 'Remove member' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click();
  const dialog = page.getByRole('dialog', { name: 'Devi Developer is removed' });
  await dialog.getByText('shared-with-ci').click();
  await expectUsable(page);
  await keepScreenshot(page, 'member-removed');
  await dialog.getByRole('button', { name: 'Delete 1 key' }).click();
  await dialog.getByText(/^Dead on 3 of 3 ingresses/).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('row', { name: /Devi Developer/ }).waitFor({ state: 'detached' });
  await expect(chat(tollgate.facts.base_url, own.secret)).rejects.toMatchObject({ status: 401 });
  expect(await chat(tollgate.facts.base_url, shared.secret)).not.toBe('');
});

describe("a person's own sessions", () => {
  it('are listed, and one is ended', async () => {
    const account = await tollgate.createAccount('Sessions');
    const owner = await tollgate.person('owner', account);
    const other = await signIn(tollgate.url, owner.email, PASSWORD);
    const { page } = await tollgate.open(owner);
    await page.goto(`${tollgate.url}/profile`);
    const table = page.getByRole('table', { name: 'Sessions' });
    await table.getByText('This session').waitFor();
    await table.getByRole('button', { name: /^End session/ }).click();
    await expect.poll(() => table.getByRole('button', { name: /^End session/ }).count()).toBe(0);
    await expect.poll(() => other.api.ok('GET /session')).toBeNull();
    expect(await owner.api.ok('GET /session')).not.toBeNull();
  });

  it('end when the password changes, but for the one that changes it', async () => {
    const account = await tollgate.createAccount('Password change');
    const owner = await tollgate.person('owner', account);
    const { page } = await tollgate.open(owner);
    const { page: elsewhere } = await tollgate.open(await signIn(tollgate.url, owner.email, PASSWORD));
    await elsewhere.goto(tollgate.page(account, '/members'));
    await elsewhere.getByRole('row', { name: /Otto Owner/ }).waitFor();
    await page.goto(`${tollgate.url}/profile`);
    await page.getByLabel('Current password').fill('not the password');
    await page.getByLabel('New password').fill('another password of a test');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Is wrong.').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed, and your other sessions have ended.').waitFor();
    await expectUsable(page);
    await keepScreenshot(page, 'profile');
    await elsewhere.reload();
    await elsewhere.waitForURL(/\/sign-in/);
    expect(await signIn(tollgate.url, owner.email, 'another password of a test')).toMatchObject({ email: owner.email });
  });
});
