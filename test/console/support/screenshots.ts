import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import type { Page } from 'playwright-core';
import type { OpenedPage } from './browser.ts';

/** Where screenshots are kept, as build output. */
const SCREENSHOTS = join(CHECKOUT, '.cache', 'console-screenshots');
/** Where a failed test leaves what its windows showed, and the logs. */
const FAILURES = join(CHECKOUT, '.cache', 'console-failures');

/** Keeps a screenshot of the whole page as `<name>.png`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** Removes what failed tests of an earlier run have left. */
export function removeEvidence(): void {
  rmSync(FAILURES, { recursive: true, force: true });
}

/** Keeps what the windows of a failed test show, and the logs of all processes. Returns the folder. */
export async function keepEvidence(test: string, windows: readonly OpenedPage[], logs: string): Promise<string> {
  const folder = join(FAILURES, test.replace(/[^0-9A-Za-z]+/g, '-').slice(0, 100));
  mkdirSync(folder, { recursive: true });
  for (const [index, { page }] of windows.entries()) {
    // A page that crashed has nothing to show.
    await page.screenshot({ path: join(folder, `window-${index + 1}.png`), fullPage: true }).catch(() => undefined);
  }
  cpSync(logs, join(folder, 'logs'), { recursive: true });
  return folder;
}
