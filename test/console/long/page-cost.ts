import type { Request } from 'playwright-core';
import type { OpenedPage } from '../support/browser.ts';

/** What one visit of a page costs, from an empty cache. */
export interface PageCost {
  path: string;
  /** Calls of the API, and those that a second visit makes. */
  calls: number;
  /** From the request to the first byte of the response, of the slowest call of the API: on loopback, the server's time. */
  slowestMs: number;
  slowest: string;
  /** Compressed, as transferred: all of the page, and of that the responses of the API. */
  bytes: number;
  apiBytes: number;
}

const VISITS = 3;

/** Opens a page several times, waits until it shows its data, and returns the cost of the visit with the median slowest call. */
export async function visitPage(opened: OpenedPage, path: string, url: string, shows: RegExp): Promise<PageCost> {
  const visits: PageCost[] = [];
  for (let visit = 0; visit < VISITS; visit++) visits.push(await visitOnce(opened, path, url, shows));
  const bySlowest = visits.toSorted((a, b) => a.slowestMs - b.slowestMs);
  const median = bySlowest[Math.floor(VISITS / 2)];
  const first = visits[0];
  if (median === undefined || first === undefined) throw new Error('no visit');
  return { ...median, bytes: first.bytes };
}

async function visitOnce({ page }: OpenedPage, path: string, url: string, shows: RegExp): Promise<PageCost> {
  const requests: Request[] = [];
  const record = (request: Request) => requests.push(request);
  page.on('requestfinished', record);
  await page.goto(url);
  await page.locator('main').getByText(shows).first().waitFor();
  await page.waitForLoadState('networkidle');
  page.off('requestfinished', record);
  const cost: PageCost = { path, calls: 0, slowestMs: 0, slowest: '', bytes: 0, apiBytes: 0 };
  for (const request of requests) {
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    cost.bytes += responseBodySize + responseHeadersSize;
    const { pathname, search } = new URL(request.url());
    if (!pathname.startsWith('/api/')) continue;
    cost.calls += 1;
    cost.apiBytes += responseBodySize;
    const { requestStart, responseStart } = request.timing();
    const ms = Math.round(responseStart - requestStart);
    if (ms <= cost.slowestMs) continue;
    cost.slowestMs = ms;
    cost.slowest = `${request.method()} ${pathname.replace(/^\/api\/accounts\/[0-9a-f-]{36}/, '…')}${search}`;
  }
  return cost;
}

/** Prints the costs as a table, the slowest page first. */
export function reportCosts(costs: readonly PageCost[]): void {
  const rows = costs.toSorted((a, b) => b.slowestMs - a.slowestMs);
  const lines = rows.map(({ path, calls, slowestMs, slowest, bytes, apiBytes }) =>
    [
      `${slowestMs} ms`.padStart(8),
      `${calls} calls`.padStart(9),
      `${kilobytes(bytes)} kB`.padStart(8),
      `${kilobytes(apiBytes)} kB of data`.padStart(16),
      path.padEnd(42),
      slowest,
    ].join('  '),
  );
  process.stdout.write(`\npages, by the time of their slowest call:\n${lines.join('\n')}\n`);
}

const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(0);
