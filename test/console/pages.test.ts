import type { Page } from 'playwright-core';
import { beforeAll, describe, it } from 'vitest';
import { NARROW, THEMES, WIDE } from './support/browser.ts';
import { drawn, loaded } from './support/loaded.ts';
import { requestsOf } from './support/requests-of.ts';
import { keepScreenshot } from './support/screenshots.ts';
import { expectUsable } from './support/usable.ts';
import { useConsole } from './support/use-console.ts';

const tollgate = useConsole();

const ACCOUNT_PAGES = [
  ...['overview', 'keys', 'projects', 'requests', 'models', 'playground', 'top-up', 'statements', 'alerts', 'members'],
  ...['management-keys', 'audit', 'settings'],
] as const;
const OPERATOR_PAGES = ['accounts', 'providers', 'ledger', 'catalogue', 'operators', 'audit'] as const;

/** Pages of one thing, and dialogs with an address, by their name. */
const DETAILS = new Map<string, `/${string}`>([
  ['model', '/models/simulated-large'],
  ['key-new', '/keys?new=1'],
  ['project-new', '/projects?new=1'],
  ['leaked', '/keys?leaked=1'],
  ['invite', '/members?invite=1'],
]);

let demo: string;
let empty: string;
let keyId: string;
let requestId: string;
let refusedId: string;

beforeAll(async () => {
  demo = await tollgate.demoAccount();
  empty = await tollgate.createAccount('Nothing yet');
  const operator = await tollgate.operator();
  const path = { account_id: demo };
  const { data: keys } = await operator.api.ok('GET /accounts/{account_id}/keys', { path });
  keyId = keys.find(({ name }) => name === 'ci-runner')?.key_id ?? '';
  requestId = (await requestsOf(operator, demo, 1, { status: 'completed' }))[0]?.request_id ?? '';
  refusedId = (await requestsOf(operator, demo, 1, { status: 'refused' }))[0]?.request_id ?? '';
});

/** Opens a page once, and looks at it wide and narrow, light and dark. */
async function visit(page: Page, address: string, name: string): Promise<void> {
  await page.setViewportSize(WIDE);
  await page.goto(address);
  await loaded(page);
  for (const [device, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    await page.setViewportSize(viewport);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await drawn(page);
      await expectUsable(page);
      await keepScreenshot(page, `${name}-${device}-${theme}`);
    }
  }
}

describe('wide and narrow, light and dark', () => {
  it('pages without a session are usable', async () => {
    const { page } = await tollgate.open();
    for (const name of ['sign-in', 'reset', 'invitation']) await visit(page, `${tollgate.url}/${name}`, name);
  });

  it('the pages of an account are usable', async () => {
    const { page } = await tollgate.open(await tollgate.operator());
    for (const name of ACCOUNT_PAGES) await visit(page, tollgate.page(demo, `/${name}`), name);
  });

  it('pages of one thing and dialogs are usable', async () => {
    const { page } = await tollgate.open(await tollgate.operator());
    for (const [name, path] of DETAILS) await visit(page, tollgate.page(demo, path), name);
    await visit(page, tollgate.page(demo, `/keys/${keyId}`), 'key');
    await visit(page, tollgate.page(demo, `/projects/${demo}`), 'project');
    await visit(page, tollgate.page(demo, `/requests/${requestId}`), 'request');
    await visit(page, tollgate.page(demo, `/requests/${refusedId}`), 'request-refused');
  });

  it('the pages of an account without anything are usable', async () => {
    const { page } = await tollgate.open(await tollgate.operator());
    for (const name of ['overview', 'keys', 'requests', 'top-up', 'alerts', 'members', 'management-keys', 'audit'])
      await visit(page, tollgate.page(empty, `/${name}`), `empty-${name}`);
  });

  it('the pages of operators and of a person are usable', async () => {
    const { page } = await tollgate.open(await tollgate.operator());
    for (const name of OPERATOR_PAGES) await visit(page, `${tollgate.url}/operator/${name}`, `operator-${name}`);
    await visit(page, `${tollgate.url}/profile`, 'profile');
    await visit(page, `${tollgate.url}/no-such-page`, 'not-found');
  });
});

it('pages that wait for their data are usable', async () => {
  const { page } = await tollgate.open(await tollgate.operator());
  // What says who is signed in, and to which account, comes first; all other reads are held back.
  const shell = [/\/api\/session$/, /\/api\/accounts\/[^/]+$/];
  await page.route(
    (url) => url.pathname.startsWith('/api/') && !shell.some((read) => read.test(url.pathname)),
    () => undefined,
  );
  const addresses = [
    ...ACCOUNT_PAGES.map((name) => tollgate.page(demo, `/${name}`)),
    ...OPERATOR_PAGES.map((name) => `${tollgate.url}/operator/${name}`),
  ];
  for (const address of addresses) {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectUsable(page);
  }
});

it('on a phone the rail is a menu that leads to a page and closes', async () => {
  const { page } = await tollgate.open(await tollgate.operator(), { viewport: NARROW });
  await page.goto(tollgate.page(demo, '/overview'));
  await page.getByRole('button', { name: 'Pages' }).click();
  const menu = page.getByRole('dialog', { name: 'Pages' });
  await menu.getByRole('link', { name: 'Models' }).waitFor();
  await expectUsable(page);
  await keepScreenshot(page, 'menu-narrow-light');
  await menu.getByRole('link', { name: 'Models' }).click();
  await page.waitForURL(tollgate.page(demo, '/models'));
  await menu.waitFor({ state: 'detached' });
});
