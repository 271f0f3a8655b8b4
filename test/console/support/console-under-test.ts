import { join } from 'node:path';
import { type Facts, startStack } from '@tollgate/local';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import type { Browser } from 'playwright-core';
import { launchBrowser, type OpenedPage, openPage } from './browser.ts';

/** Everything as processes, with three ingresses, an operator and demo requests, and a browser. */
export interface ConsoleUnderTest {
  facts: Facts;
  console: NonNullable<Facts['console']>;
  browser: Browser;
  /** A window in which the operator is signed in. */
  signIn: (options?: Parameters<typeof openPage>[1]) => Promise<OpenedPage>;
  stop: () => Promise<void>;
}

export async function startConsole(env: Record<string, string> = {}): Promise<ConsoleUnderTest> {
  const folder = makeTemporaryFolder();
  const stack = await startStack({
    data: join(folder.path, 'data'),
    ingresses: 3,
    console: {},
    redis: redisUrl(),
    quiet: true,
    env: { REDIS_TIMEOUT_MS: '10000', ...env },
  }).catch((error: unknown) => {
    folder.remove();
    throw error;
  });
  const { console } = stack.facts;
  if (console === undefined) throw new Error('the stack has no console');
  const browser = await launchBrowser();
  const signIn = async (options?: Parameters<typeof openPage>[1]) => {
    const opened = await openPage(browser, options);
    const { page } = opened;
    await page.goto(console.url);
    await page.getByLabel('E-mail').fill(console.operator_email);
    await page.getByLabel('Password', { exact: true }).fill(console.operator_password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/\/(operator|accounts)\//);
    return opened;
  };
  const stop = async () => {
    await browser.close();
    await stack.stop();
    folder.remove();
  };
  return { facts: stack.facts, console, browser, signIn, stop };
}

/** Opens a page of the account `Demo`; `path` begins with a slash. */
export async function openDemoPage({ page }: OpenedPage, console: { url: string }, path: string): Promise<void> {
  await page.goto(`${console.url}/operator/accounts`);
  await page.getByRole('link', { name: 'Demo', exact: true }).click();
  await page.waitForURL(/\/accounts\/[0-9a-f-]+\/overview/);
  if (path !== '/overview') await page.goto(page.url().replace(/\/overview.*$/, path));
}
