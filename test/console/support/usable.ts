import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { seriousFindings } from './axe.ts';
import { expectNotSideways } from './sideways.ts';

/**
 * Expects a page that a person can use: without serious findings of axe, and without scrolling sideways. The test goes on
 * if it is not, so that it reports all of its pages at once.
 */
export async function expectUsable(page: Page): Promise<void> {
  expect.soft(await seriousFindings(page), page.url()).toEqual([]);
  await expectNotSideways(page);
}
