import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { chat, MODEL } from './support/gateway-calls.ts';
import type { Person } from './support/people.ts';
import { requestsOf } from './support/requests-of.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { createKey, useConsole } from './support/use-console.ts';

const tollgate = useConsole();
/** More than the list loads at once. */
const REQUESTS = 70;
const LARGE = 5;

let account: string;
let owner: Person;
let secret: string;
let keyId: string;

beforeAll(async () => {
  account = await tollgate.createAccount('Many requests', '50');
  owner = await tollgate.person('owner', account);
  const created = await createKey(owner, account, { name: 'busy', tags: { team: 'search' } });
  secret = created.secret;
  keyId = created.key.key_id;
  const models = Array.from({ length: REQUESTS }, (_, index) => (index < LARGE ? 'simulated-large' : MODEL));
  const sendAll = async () => {
    for (let model = models.pop(); model !== undefined; model = models.pop())
      await chat(tollgate.facts.base_url, secret, model);
  };
  await Promise.all([sendAll(), sendAll(), sendAll(), sendAll()]);
  await requestsOf(owner, account, REQUESTS);
}, 180_000);

const rows = (page: Page) => page.getByRole('table', { name: 'Requests' }).locator('tr[data-row]');

async function choose(page: Page, filter: string, value: string): Promise<void> {
  await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: filter, exact: true }).click();
  await page.getByRole('dialog').getByText(value, { exact: true }).click();
}

describe('the list', () => {
  it('keeps its filters in the address, which Back, Forward and a shared link restore', async () => {
    const { page } = await tollgate.open(owner);
    await page.goto(tollgate.page(account, '/requests'));
    await rows(page).first().waitFor();
    await choose(page, 'Model', 'simulated-large');
    await page.waitForURL(/[?&]model=simulated-large/);
    await expect.poll(() => rows(page).count()).toBe(LARGE);
    const filtered = page.url();
    await rows(page).nth(2).click();
    await page.getByText('Held while it ran').waitFor();
    const request = page.url();
    await page.goBack();
    await expect.poll(() => rows(page).count()).toBe(LARGE);
    expect(page.url()).toBe(filtered);
    await page.goForward();
    await page.getByText('Held while it ran').waitFor();
    expect(page.url()).toBe(request);
    const { page: shared } = await tollgate.open(owner);
    await shared.goto(filtered);
    await expect.poll(() => rows(shared).count()).toBe(LARGE);
    await keepScreenshot(shared, 'requests-filtered');
    await shared.getByRole('button', { name: 'Clear filter Model' }).click();
    await expect.poll(() => rows(shared).count()).toBeGreaterThan(LARGE);
  });

  it('filters by key from the page of a key, and by tag from a request', async () => {
    const other = await createKey(owner, account, { name: 'quiet' });
    await chat(tollgate.facts.base_url, other.secret);
    await requestsOf(owner, account, 1, { key_id: other.key.key_id });
    const { page } = await tollgate.open(owner);
    await page.goto(tollgate.page(account, `/keys/${other.key.key_id}`));
    await page.getByRole('link', { name: 'Show requests' }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).first().click();
    await page.getByText('Held while it ran').waitFor();
    await page.goto(tollgate.page(account, `/requests?key=${keyId}&model=simulated-large`));
    await rows(page).first().click();
    await page.getByRole('link', { name: 'search', exact: true }).click();
    await page.waitForURL(/[?&]tag=team/);
    await rows(page).first().waitFor();
    expect(await page.getByRole('cell', { name: 'quiet' }).count()).toBe(0);
  });

  it('loads more as it is scrolled', async () => {
    const { page } = await tollgate.open(owner);
    const cursors: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('cursor=')) cursors.push(request.url());
    });
    await page.goto(tollgate.page(account, `/requests?key=${keyId}`));
    await rows(page).first().waitFor();
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 2_000);
        return page.getByText('No older requests in this range.').count();
      })
      .toBe(1);
    expect(cursors.length).toBeGreaterThan(0);
    expect(await page.getByRole('table', { name: 'Requests' }).getAttribute('aria-rowcount')).toBe(
      String(REQUESTS + 1),
    );
  });

  it('shows new requests only behind a button, never under the pointer', async () => {
    const { page } = await tollgate.open(owner);
    await page.goto(tollgate.page(account, '/requests'));
    await rows(page).first().waitFor();
    await page.waitForLoadState('networkidle');
    const before = await rows(page).first().getAttribute('data-row');
    await chat(tollgate.facts.base_url, secret);
    const button = page.getByRole('button', { name: '1 new' });
    await button.waitFor();
    expect(await rows(page).first().getAttribute('data-row')).toBe(before);
    await keepScreenshot(page, 'requests-new');
    await button.click();
    await expect.poll(() => rows(page).first().getAttribute('data-row')).not.toBe(before);
    await button.waitFor({ state: 'detached' });
  });

  it.each([
    ['CSV', 'csv', (text: string) => text.trim().split('\n').slice(1)],
    [
      'JSON',
      'ndjson',
      (text: string) =>
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).request_id),
    ],
  ] as const)('downloads what it shows as %s', async (format, ending, lines) => {
    const { page } = await tollgate.open(owner);
    await page.goto(tollgate.page(account, '/requests?model=simulated-large'));
    await expect.poll(() => rows(page).count()).toBe(LARGE);
    await page.getByRole('button', { name: 'Export' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: new RegExp(`^${format}`) }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${ending}$`));
    const text = readFileSync(await download.path(), 'utf8');
    expect(lines(text)).toHaveLength(LARGE);
    expect(text).toContain('simulated-large');
  });
});

it('the charges of a month are downloaded from the overview, for tools of finance', async () => {
  const { page } = await tollgate.open(owner);
  await page.goto(tollgate.page(account, '/overview'));
  await page.getByRole('button', { name: 'Costs as FOCUS' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /So far$/ }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^focus-\d{4}-\d\d\.csv$/);
  expect(readFileSync(await download.path(), 'utf8')).toMatch(
    /^BilledCost,BillingAccountId,.*\r\n.*,simulated-large,/s,
  );
});

describe('a request', () => {
  it('has a bill whose lines add up to what the account paid', async () => {
    const { page } = await tollgate.open(owner);
    await page.goto(tollgate.page(account, '/requests?model=simulated-large'));
    await rows(page).first().click();
    await page.getByText('Held while it ran').waitFor();
    const amounts = (selector: string) =>
      page
        .locator(`${selector} td:last-child data`)
        .evaluateAll((all) => all.map((each) => each.getAttribute('value')));
    const nanos = (values: (string | null)[]) =>
      values.reduce((sum, value) => sum + Math.round(Number(value) * 1_000_000_000), 0);
    const lines = await amounts('tr[data-line]');
    expect(lines.length).toBeGreaterThan(1);
    const charge = nanos(await amounts('tr[data-kind=total]'));
    expect(nanos(lines)).toBe(charge);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const path = { account_id: account, id };
    const request = await owner.api.ok('GET /accounts/{account_id}/requests/{id}', { path });
    expect(nanos([request.cost])).toBe(charge);
    expect(nanos([request.hold, `-${request.released}`])).toBe(charge);
    await page.getByText('Explain this price').click();
    await page
      .getByText(/tokens × \$[\d.]+ per million = \$/)
      .first()
      .waitFor();
    await expectUsable(page);
    await keepScreenshot(page, 'request');
  });

  it('that failed says why and what to do, with each call to a provider', async () => {
    const failing = await tollgate.createAccount('Failed', '5');
    const admin = await tollgate.person('admin', failing);
    const { secret: key } = await createKey(admin, failing, { name: 'unlucky' });
    const directive = 'Hello [simulate {"fail": 503}]';
    await expect(chat(tollgate.facts.base_url, key, MODEL, directive)).rejects.toMatchObject({ status: 502 });
    await requestsOf(admin, failing, 1);
    const { page } = await tollgate.open(admin);
    await page.goto(tollgate.page(failing, '/requests?status=failed'));
    await rows(page).first().getByText('Failed: provider error').waitFor();
    await rows(page).first().click();
    await page.getByText('The provider failed and said so.').waitFor();
    await page.getByText('see the status page of the provider').waitFor();
    await page.getByText(/^Provider error, HTTP 503, after [\d,]+ ms$/).waitFor();
    await page.getByText('HTTP 502, internal_error').waitFor();
    await expectUsable(page);
    await keepScreenshot(page, 'request-failed');
  });

  it('that was refused says why and what to do, and leads there', async () => {
    const poor = await tollgate.createAccount('Refused', '5');
    const admin = await tollgate.person('admin', poor);
    const capped = await createKey(admin, poor, {
      name: 'capped',
      caps: { day: '0.000000001', week: null, month: null, total: null },
    });
    await expect(chat(tollgate.facts.base_url, capped.secret)).rejects.toMatchObject({ status: 400 });
    await requestsOf(admin, poor, 1);
    const { page } = await tollgate.open(admin);
    await page.goto(tollgate.page(poor, '/requests?status=refused'));
    await rows(page).first().click();
    await page
      .getByText(
        'The daily cap of key capped refused it: too little is left of it for the most that the request can cost.',
      )
      .waitFor();
    await expectUsable(page);
    await keepScreenshot(page, 'request-refused');
    await page.getByRole('link', { name: 'Raise the cap of capped' }).click();
    await page.getByRole('heading', { level: 1, name: 'capped' }).waitFor();
    await page.getByLabel('Cap per day').waitFor();
  });

  it('that the cap of a project refused leads to that cap, but no developer', async () => {
    const capped = await tollgate.createAccount('Refused above', '5');
    const admin = await tollgate.person('admin', capped);
    const developer = await tollgate.person('developer', capped);
    const { project_id } = await admin.api.ok('POST /accounts/{account_id}/projects', {
      path: { account_id: capped },
      body: { name: 'backend', caps: { day: null, week: null, month: '0.000000001', total: null } },
    });
    const { secret: key } = await createKey(developer, capped, { name: 'theirs', project_id });
    await expect(chat(tollgate.facts.base_url, key)).rejects.toMatchObject({ status: 400 });
    await requestsOf(admin, capped, 1);
    const refusedPage = async (person: Person) => {
      const { page } = await tollgate.open(person);
      await page.goto(tollgate.page(capped, '/requests?status=refused'));
      await rows(page).first().click();
      await page.getByText('The monthly cap of project backend refused it').waitFor();
      return page;
    };
    const theirs = await refusedPage(developer);
    expect(await theirs.getByRole('link', { name: /^Raise the cap/ }).count()).toBe(0);
    const page = await refusedPage(admin);
    await expectUsable(page);
    await keepScreenshot(page, 'request-refused-by-project');
    await page.getByRole('link', { name: 'Raise the cap of backend' }).click();
    await page.getByRole('heading', { level: 1, name: 'backend' }).waitFor();
    const field = page.getByLabel('Cap per month');
    await expect.poll(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('is found by its trace id, and one that does not exist says so', async () => {
    const { page } = await tollgate.open(owner);
    await page.goto(tollgate.page(account, '/requests?model=simulated-large'));
    await rows(page).first().click();
    await page.getByRole('button', { name: 'Copy trace id' }).click();
    await page.getByRole('button', { name: 'Copied trace id' }).waitFor();
    const trace: string = await page.evaluate('navigator.clipboard.readText()');
    await page.goto(tollgate.page(account, '/requests'));
    await page.getByLabel('Find a request').fill(trace);
    await page.getByLabel('Find a request').press('Enter');
    await page.getByText('Held while it ran').waitFor();
    await page.goto(tollgate.page(account, `/requests/${'0'.repeat(32)}`));
    await page.getByText('No request has this id').waitFor();
    await keepScreenshot(page, 'request-not-found');
  });
});
