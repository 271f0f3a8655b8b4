import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectUsable, keepScreenshot, NARROW, type OpenedPage, THEMES, WIDE } from './support/browser.ts';
import { type ConsoleUnderTest, openDemoPage, startConsole } from './support/console-under-test.ts';

const MODEL = 'simulated-small';

let tollgate: ConsoleUnderTest;
let opened: OpenedPage;
let page: Page;

beforeAll(async () => {
  tollgate = await startConsole();
  opened = await tollgate.signIn();
  page = opened.page;
}, 180_000);
afterAll(() => tollgate?.stop());

async function chat(baseURL: string, apiKey: string): Promise<string | null | undefined> {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const response = await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  return response.choices[0]?.message.content;
}

describe('a key in the console', () => {
  let key: string;

  it('is created, copied once, and used; its first request appears without a reload', async () => {
    await openDemoPage(opened, tollgate.console, '/keys?new=1');
    await page.getByLabel('Name', { exact: true }).fill('browser-key');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: 'browser-key is created' }).waitFor();
    await page.getByRole('button', { name: 'Copy key' }).click();
    key = await page.evaluate('navigator.clipboard.readText()');
    expect(key).toMatch(/^sk-tollgate-[0-9A-Za-z]{40,}$/);
    await expectUsable(page);
    await keepScreenshot(page, 'key-created');
    await page.getByText('Waiting for the first request').waitFor();
    expect(await chat(tollgate.facts.base_url, key)).not.toBe('');
    await page.getByText('The first request has arrived').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
  });

  it('is refused on every ingress once the page says that it is deleted there', async () => {
    await page.getByRole('link', { name: 'browser-key', exact: true }).click();
    await page.getByRole('button', { name: 'Delete key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete key' }).click();
    await page.getByText(/^Dead on 3 of 3 ingresses after/).waitFor();
    await keepScreenshot(page, 'key-deleted');
    for (const url of tollgate.facts.base_urls) {
      await expect(chat(url, key)).rejects.toMatchObject({ status: 401 });
    }
    await page.getByRole('button', { name: 'Done' }).click();
  });
});

it('an account is credited, and the balance in the header follows', async () => {
  await openDemoPage(opened, tollgate.console, '/top-up');
  await page.getByRole('button', { name: 'Credit account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('100');
  await dialog.getByLabel('Reason').fill('Paid by invoice 42');
  await dialog.getByRole('button', { name: 'Credit account' }).click();
  await page.getByRole('row', { name: /Paid by invoice 42/ }).waitFor();
  await page.getByRole('link', { name: /\$109\.\d\d left/ }).waitFor();
});

it('a request is found with its bill, line by line', async () => {
  await openDemoPage(opened, tollgate.console, '/requests');
  await page
    .getByRole('row', { name: /simulated-large/ })
    .first()
    .click();
  await page.waitForURL(/\/requests\/[0-9a-f-]{36}/);
  await page.getByText('Held while it ran').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'request');
});

it('a chat in the playground streams, and leads to its request', async () => {
  await openDemoPage(opened, tollgate.console, '/playground');
  await page.getByLabel('Message', { exact: true }).fill('What is a tollgate?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Finish reason').waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'playground');
  await page.getByRole('link', { name: /^[0-9a-f-]{32,36}$/ }).click();
  await page.getByText('Held while it ran').waitFor();
});

describe.each([
  { device: 'wide', viewport: WIDE },
  { device: 'narrow', viewport: NARROW },
])('on a $device screen', ({ device, viewport }) => {
  it.each(THEMES)('the pages of an account are usable in the %s theme', async (theme) => {
    const own = await tollgate.signIn({ theme, viewport });
    for (const name of [
      'overview',
      'keys',
      'requests',
      'models',
      'playground',
      'top-up',
      'alerts',
      'members',
      'management-keys',
      'audit',
      'settings',
    ]) {
      await openDemoPage(own, tollgate.console, `/${name}`);
      await own.page.getByRole('heading', { level: 1 }).waitFor();
      await own.page.waitForLoadState('networkidle');
      await expectUsable(own.page);
      await keepScreenshot(own.page, `${name}-${device}-${theme}`);
    }
    for (const name of ['accounts', 'providers', 'ledger', 'catalogue', 'operators', 'audit']) {
      await own.page.goto(`${tollgate.console.url}/operator/${name}`);
      await own.page.getByRole('heading', { level: 1 }).waitFor();
      await own.page.waitForLoadState('networkidle');
      await expectUsable(own.page);
      await keepScreenshot(own.page, `operator-${name}-${device}-${theme}`);
    }
    expect(own.complaints.list).toEqual([]);
    await own.context.close();
  });
});

it('no page reported an error, broke the content security policy or called another host', () => {
  expect(opened.complaints.list).toEqual([]);
});
