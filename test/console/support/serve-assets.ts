import type { BrowserContext } from 'playwright-core';

interface Asset {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

const assets = new Map<string, Promise<Asset>>();

/**
 * Loads the scripts and styles of the web app once for all windows, outside of the browser: Chromium aborts what it loads when
 * another process of the machine adds a network interface, as each start of a container does (ERR_NETWORK_CHANGED).
 */
export async function serveAssets(context: BrowserContext): Promise<void> {
  await context.route('**/assets/*', async (route) => {
    const url = route.request().url();
    const found = assets.get(url) ?? load(url);
    assets.set(url, found);
    await route.fulfill(await found);
  });
}

async function load(url: string): Promise<Asset> {
  const response = await fetch(url);
  const headers = Object.fromEntries(response.headers);
  // The body is decoded.
  delete headers['content-encoding'];
  delete headers['content-length'];
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) };
}
