import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Waits until a page shows what it has loaded: its heading, and no skeleton. */
export async function loaded(page: Page): Promise<void> {
  await page.getByRole('heading').first().waitFor();
  await expect.poll(() => page.locator('[aria-busy="true"], [data-skeleton]').count()).toBe(0);
}

/** Waits until the browser has drawn a page in its present size and theme. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}
