import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { seriousFindings } from './axe.ts';
import { findChromium } from './chromium.ts';

/** Where screenshots are kept, as build output. */
export const SCREENSHOTS = join(CHECKOUT, '.cache', 'console-screenshots');

export const WIDE = { width: 1_440, height: 900 };
export const NARROW = { width: 390, height: 844 };
export const THEMES = ['light', 'dark'] as const;

/** What a page reported that no user should get: errors of scripts, violations of the content security policy. */
export class Complaints {
  readonly list: string[] = [];

  watch(page: Page): void {
    page.on('pageerror', (error) => this.list.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // Chromium reports each response of 400 or more as an error of the page.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.list.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      const { hostname } = new URL(request.url());
      if (hostname !== '127.0.0.1' && hostname !== 'localhost') this.list.push(`a request to ${hostname}`);
    });
  }
}

/** Starts the browser. Nothing of it is kept. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  complaints: Complaints;
}

/** Opens a window of its own, with its own cookies. */
export async function openPage(
  browser: Browser,
  { theme = 'light', viewport = WIDE }: { theme?: (typeof THEMES)[number]; viewport?: typeof WIDE } = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ colorScheme: theme, viewport, reducedMotion: 'reduce' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const complaints = new Complaints();
  complaints.watch(page);
  return { page, context, complaints };
}

/** Keeps a screenshot of the whole page as `<name>.png`. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** Expects a page that a person can use: without serious findings of axe, and without scrolling sideways. */
export async function expectUsable(page: Page): Promise<void> {
  expect(await seriousFindings(page)).toEqual([]);
  const overflow: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow, 'pixels that scroll sideways').toBeLessThanOrEqual(0);
}
