import { RunningConsole } from '@tollgate/console/testing/running-console';
import { ensurePartitions } from '@tollgate/ledger/store/partitions';
import { DAY_MS } from '@tollgate/ledger/store/time';
import { MAX_AGE_MS, silent } from '@tollgate/ledger/testing/ledger-fixture';
import { HISTORY_DAYS, type History, KEY, loadHistory } from '@tollgate/ledger/testing/load-history';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, NARROW, type OpenedPage, openPage, WIDE } from '../support/browser.ts';
import { keepScreenshot } from '../support/screenshots.ts';
import { type PageCost, reportCosts, visitPage } from './page-cost.ts';
import { registerAccounts } from './register-accounts.ts';

/** A company with three million requests in 75 days, 50 busy keys of 10,000, and 8 models; and 99,999 other accounts. */
const CHARGES = Number(process.env['CHARGES'] ?? 10_000_000);
const SIZE = { charges: CHARGES, accounts: 100_000, keys: 50, models: 8, others: 100_000 };
const KEYS = 10_000;
const LOAD_LIMIT_MS = 30 * 60_000;

let console: RunningConsole;
let history: History;
let browser: Browser;
/** An id from the middle of the history. */
let requestId: string;
const costs: PageCost[] = [];

beforeAll(async () => {
  console = await RunningConsole.start();
  const { pool, url } = console.ledger;
  const now = Date.now();
  await ensurePartitions(pool, now - (HISTORY_DAYS - 30) * DAY_MS, MAX_AGE_MS, silent);
  history = await loadHistory(url, SIZE, now);
  await registerAccounts(url, { accounts: SIZE.accounts, keys: KEYS });
  const middle = (history.startMs + history.endMs) / 2;
  const { rows } = await pool.query<{ request_id: string }>(
    'SELECT request_id FROM ledger.charges WHERE account_id = $1 AND request_id >= $2 ORDER BY request_id LIMIT 1',
    [history.largest, `${Math.floor(middle).toString(16).padStart(12, '0')}00000000000000000000`],
  );
  requestId = rows[0]?.request_id ?? '';
  browser = await launchBrowser();
}, LOAD_LIMIT_MS);
afterAll(async () => {
  reportCosts(costs);
  await browser?.close();
  await console?.stop();
});

async function signedIn(role: 'owner' | 'operator', viewport = WIDE): Promise<OpenedPage> {
  const { api } = await console.signedIn(role, history.largest);
  const opened = await openPage(browser, { viewport });
  const [name = '', value = ''] = api.cookie.split('=');
  await opened.context.addCookies([{ name, value, url: console.url }]);
  return opened;
}

/** Pages of an account, each with what only a page full of data shows. */
const ACCOUNT_PAGES: readonly [path: string, shows: RegExp][] = [
  ['overview', /model-\d/],
  ['overview?range=24h', /model-\d/],
  ['overview?range=90d&by=key', /key \d+/],
  ['overview?range=24h&by=key&measure=tokens', /key \d+/],
  ['overview?range=90d', /model-\d/],
  ['overview?range=1y', /model-\d/],
  ['keys', /key \d+/],
  ['keys?q=key%209999', /key 9999/],
  ['keys/{key}', /key 0/],
  ['requests', /model-\d/],
  ['requests?range=90d', /model-\d/],
  ['requests?range=90d&status=failed', /model-\d/],
  ['requests?range=90d&key={key}', /model-\d/],
  ['requests?range=90d&model=model-7', /model-7/],
  ['requests?range=90d&session=session-100', /model-\d/],
  ['requests?range=90d&tag=team%3Anone', /Requests/],
  ['requests/{request}', /Held while it ran/],
  ['models', /Models/],
  ['playground', /Playground/],
  ['top-up', /loaded/],
  ['alerts', /Alerts/],
  ['members', /A owner/],
  ['management-keys', /Management keys/],
  ['audit', /person|loaded/],
  ['settings', /Settings/],
];

const OPERATOR_PAGES: readonly [path: string, shows: RegExp][] = [
  ['accounts', /account \d+/],
  ['accounts?q=account%2099999', /account 99999/],
  ['providers', /Providers/],
  ['ledger', /quarantine/i],
  ['catalogue', /small/],
  ['operators', /A operator/],
  ['audit', /loaded/],
];

describe(`with ${CHARGES.toLocaleString('en')} charges`, () => {
  it.each(ACCOUNT_PAGES)('an owner opens %s', async (path, shows) => {
    const filled = path.replace('{key}', KEY).replace('{request}', requestId);
    const opened = await signedIn('owner');
    costs.push(await visitPage(opened, path, `${console.url}/accounts/${history.largest}/${filled}`, shows));
    await keepScreenshot(opened.page, `full-${path.replace(/\W+/g, '-')}`);
    expect(opened.complaints).toEqual([]);
    await opened.context.close();
  });

  it.each(OPERATOR_PAGES)('an operator opens %s', async (path, shows) => {
    const opened = await signedIn('operator');
    costs.push(await visitPage(opened, `operator/${path}`, `${console.url}/operator/${path}`, shows));
    await keepScreenshot(opened.page, `full-operator-${path.replace(/\W+/g, '-')}`);
    expect(opened.complaints).toEqual([]);
    await opened.context.close();
  });

  it.each(['overview', 'keys', 'requests'])('%s fits a phone', async (path) => {
    const opened = await signedIn('owner', NARROW);
    const url = `${console.url}/accounts/${history.largest}/${path}`;
    await visitPage(opened, path, url, /model-\d|key \d/);
    await keepScreenshot(opened.page, `full-${path}-narrow`);
    await opened.context.close();
  });
});
