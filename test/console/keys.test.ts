import { describe, expect, it } from 'vitest';
import { chat, MODEL } from './support/gateway-calls.ts';
import { PASSWORD, signIn } from './support/people.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();

it('is created, copied once and used; its first request and bill appear without a reload', async () => {
  const account = await tollgate.createAccount('First key', '5');
  const developer = await tollgate.person('developer', account);
  const { page } = await tollgate.open(developer);
  await page.goto(tollgate.page(account, '/overview'));
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('browser-key');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: 'browser-key is created' }).waitFor();
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByRole('button', { name: 'Copied key' }).waitFor();
  const key: string = await page.evaluate('navigator.clipboard.readText()');
  expect(key).toMatch(/^sk-tollgate-[0-9A-Za-z]{44}$/);
  for (const client of ['Claude Code', 'Codex', 'opencode']) {
    await page.getByRole('tab', { name: client }).click();
    await page.getByRole('tabpanel').getByText(tollgate.facts.base_url).first().waitFor();
  }
  await page.getByText('Waiting for the first request').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'key-created');

  expect(await chat(tollgate.facts.base_url, key)).not.toBe('');
  await page.getByText('The first request has arrived').waitFor();
  await page.getByRole('link', { name: 'Open', exact: true }).click();
  await page.getByText('Held while it ran').waitFor();
  await page.getByRole('row', { name: /^Charge \$0\.\d{9}$/ }).waitFor();
  expect(await page.content()).not.toContain(key);
});

it('is refused on three ingresses at once after it is deleted, and the page lists them', async () => {
  const account = await tollgate.createAccount('Deleted key', '5');
  const owner = await tollgate.person('owner', account);
  const { key, secret } = await createKey(owner, account, { name: 'doomed' });
  for (const url of tollgate.facts.base_urls) await chat(url, secret);
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/keys'));
  await page.getByRole('link', { name: 'doomed' }).click();
  await page.getByRole('button', { name: 'Delete key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`…${key.last_four}`).waitFor();
  await dialog.getByRole('button', { name: 'Delete key' }).click();
  await dialog.getByText(/^Dead on 3 of 3 ingresses after \d/).waitFor();
  const refused = await Promise.allSettled(tollgate.facts.base_urls.map((url) => chat(url, secret)));
  expect(refused).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'rejected', reason: { status: 401 } })));
  const confirmations = await dialog.getByRole('listitem').allTextContents();
  expect(confirmations.map((text) => text.replace(/confirmed after [\d.]+ m?s$/, ' confirmed')).toSorted()).toEqual([
    'ingress confirmed',
    'ingress-2 confirmed',
    'ingress-3 confirmed',
  ]);
  await expectUsable(page);
  await keepScreenshot(page, 'key-deleted');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('This key is deleted for good.').waitFor();
});

describe('a leaked key', () => {
  it.each(['the whole key', 'its last four characters'])('is found by %s and deleted', async (by) => {
    const account = await tollgate.createAccount('Leaked', '5');
    const owner = await tollgate.person('owner', account);
    const { key, secret } = await createKey(owner, account, { name: 'leaked-one' });
    await createKey(owner, account, { name: 'another' });
    const { page } = await tollgate.open(owner);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.goto(tollgate.page(account, '/keys'));
    await page.getByRole('button', { name: 'Leaked a key?' }).click();
    const pasted = by === 'the whole key' ? `2026-11-23 curl -H "Authorization: Bearer ${secret}"` : key.last_four;
    await page.getByLabel('The key, or its last four characters').fill(pasted);
    await page.getByRole('button', { name: 'Find key' }).click();
    const row = page.getByRole('dialog').getByRole('row', { name: /leaked-one/ });
    await row.waitFor();
    await expectUsable(page);
    await keepScreenshot(page, by === 'the whole key' ? 'leaked-by-key' : 'leaked-by-last-four');
    await row.getByRole('button', { name: 'Delete key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
    await page.getByText(/^Dead on 3 of 3 ingresses after/).waitFor();
    await expect(chat(tollgate.facts.base_url, secret)).rejects.toMatchObject({ status: 401 });
    expect(sent.some((text) => text.includes('/keys/find'))).toBe(true);
    // Neither the key nor its secret part leaves the browser.
    expect(sent.filter((text) => text.includes(secret.slice(-44)))).toEqual([]);
  });
});

it('shows the keys that were made with it, and is deleted with them', async () => {
  const account = await tollgate.createAccount('Derived keys', '5');
  const owner = await tollgate.person('owner', account);
  const { key, secret } = await createKey(owner, account, { name: 'agent' });
  const response = await fetch(`${tollgate.facts.base_url}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'run 7', caps: { day: '0.5' } }),
  });
  expect(response.status).toBe(201);
  const made = (await response.json()) as { secret: string };
  await chat(tollgate.facts.base_url, made.secret);
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/keys'));
  await page.getByRole('link', { name: 'agent' }).waitFor();
  expect(await page.getByText('run 7').count()).toBe(0);
  await page.goto(tollgate.page(account, `/keys/${key.key_id}`));
  const row = page.getByRole('row', { name: /run 7/ });
  await row.waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'key-with-derived');
  await row.getByRole('link', { name: 'run 7' }).click();
  await page.getByRole('heading', { level: 1, name: 'run 7' }).waitFor();
  await keepScreenshot(page, 'derived-key');
  await page.getByRole('link', { name: 'Its parent key' }).click();
  await page.getByRole('heading', { level: 1, name: 'agent' }).waitFor();
  await page.getByRole('button', { name: 'Delete key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
  await page.getByText(/^Dead on 3 of 3 ingresses after/).waitFor();
  await expect(chat(tollgate.facts.base_url, made.secret)).rejects.toMatchObject({ status: 401 });
});

it('everything of a key can be edited, and is in force at the ingresses', async () => {
  const account = await tollgate.createAccount('Edited key', '5');
  const admin = await tollgate.person('admin', account);
  const { key, secret } = await createKey(admin, account, { name: 'before' });
  const { page } = await tollgate.open(admin);
  await page.goto(tollgate.page(account, `/keys/${key.key_id}`));
  await page.getByLabel('Name', { exact: true }).fill('after');
  await page.getByLabel('Cap per day').fill('2.50');
  await page.getByLabel('Cap per month').fill('20');
  await page.getByLabel('Cap in total').fill('100');
  await page.getByLabel('Requests per minute').fill('600');
  await page.getByLabel('Tokens per minute').fill('1,000,000');
  await page.getByLabel('Open requests').fill('8');
  await page.getByLabel('Expires').fill('2099-12-31T12:00');
  await page.getByRole('button', { name: 'Choose models' }).click();
  await page.getByRole('group', { name: 'Models' }).getByText('simulated-large', { exact: true }).click();
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByLabel('Name of tag 1').fill('team');
  await page.getByLabel('Value of tag 1').fill('search');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('The key is changed at every ingress.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'after' }).waitFor();
  const path = { account_id: account, key_id: key.key_id };
  expect(await admin.api.ok('GET /accounts/{account_id}/keys/{key_id}', { path })).toMatchObject({
    name: 'after',
    caps: { day: '2.5', month: '20', total: '100' },
    limits: { requests_per_minute: 600, tokens_per_minute: 1_000_000, open_requests: 8 },
    expires_at: expect.stringMatching(/^2099-12-31/),
    allowed_models: ['simulated-large'],
    tags: { team: 'search' },
  });
  for (const url of tollgate.facts.base_urls)
    await expect(chat(url, secret, MODEL)).rejects.toMatchObject({ status: 400 });
  expect(await chat(tollgate.facts.base_url, secret, 'simulated-large')).not.toBe('');
  await page.getByText('Daily cap').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'key-edited');

  expect(await page.getByRole('button', { name: 'Save changes' }).isDisabled()).toBe(true);

  // A wrong value says so at its field, and changes nothing.
  await page.getByLabel('Cap per day').fill('a lot');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Enter an amount in dollars such as 25 or 0.50, or leave it empty.').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByLabel('Cap per day').inputValue()).toBe('2.5');
});

it('is rotated: the new value is shown once, and the previous one ends', async () => {
  const account = await tollgate.createAccount('Rotated key', '5');
  const owner = await tollgate.person('owner', account);
  const { key, secret } = await createKey(owner, account, { name: 'rotated' });
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, `/keys/${key.key_id}`));
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: /previous value stays valid/ }).click();
  await page.getByRole('option', { name: 'Ends at once' }).click();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('button', { name: 'Copy key' }).click();
  const next: string = await page.evaluate('navigator.clipboard.readText()');
  expect(next).not.toBe(secret);
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await chat(tollgate.facts.base_url, next)).not.toBe('');
  await expect(chat(tollgate.facts.base_url, secret)).rejects.toMatchObject({ status: 401 });
});

it('keeps what was entered when the session ends, and creates the key after the next sign-in', async () => {
  const account = await tollgate.createAccount('Ended session');
  const owner = await tollgate.person('owner', account);
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/keys?new=1'));
  await page.getByLabel('Name', { exact: true }).fill('kept-input');
  await owner.api.ok('DELETE /session');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await keepScreenshot(page, 'session-ended');
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'kept-input is created' }).waitFor();
  const { api } = await signIn(tollgate.url, owner.email, PASSWORD);
  const { data } = await api.ok('GET /accounts/{account_id}/keys', { path: { account_id: account } });
  expect(data.map(({ name }) => name)).toEqual(['kept-input']);
});
