import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

export const WIDE = { width: 1_440, height: 900 };
export const NARROW = { width: 390, height: 844 };
export const THEMES = ['light', 'dark'] as const;

export interface PageOptions {
  theme?: (typeof THEMES)[number];
  viewport?: typeof WIDE;
}

/** A window of the browser with its own cookies, and what its page reported that no user should get. */
export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, violations of the content security policy, failed requests, requests to other hosts. */
  complaints: string[];
}

/** Pages cancel what they no longer need, and repeat reads after a network interface was added to the machine. */
const EXPECTED_FAILURES = ['net::ERR_ABORTED', 'net::ERR_NETWORK_CHANGED'];

/** Starts the browser. Nothing of it is kept. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export async function openPage(
  browser: Browser,
  { theme = 'light', viewport = WIDE }: PageOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ colorScheme: theme, viewport, reducedMotion: 'reduce' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const complaints: string[] = [];
  watch(page, complaints);
  return { page, context, complaints };
}

function watch(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium reports each response of 400 or more as an error of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(`console: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (!EXPECTED_FAILURES.includes(reason)) complaints.push(`${request.url()} failed: ${reason}`);
  });
  page.on('request', (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== '127.0.0.1' && hostname !== 'localhost') complaints.push(`a request to ${hostname}`);
  });
}
