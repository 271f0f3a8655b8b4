import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Expects that a page does not scroll sideways. The test goes on if it does, so that it reports all of its pages at once. */
export async function expectNotSideways(page: Page, name = page.url()): Promise<void> {
  const overflow: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect.soft(overflow, `pixels that ${name} scrolls sideways`).toBeLessThanOrEqual(0);
}
