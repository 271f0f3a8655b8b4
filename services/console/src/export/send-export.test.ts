import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger, type Logger } from '@tollgate/common/logging';
import { ExportFormat } from '@tollgate/proto/console/queries';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../http/api-error.ts';
import { createErrorHandler } from '../http/send-thrown-error.ts';
import { EXPORT_LIMITS, type ExportLimits } from './export-limits.ts';
import { ExportSender } from './send-export.ts';

const silent = createLogger('test', 'silent');
const PAGE = Array.from({ length: 500 }, (_, index) => index);

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Pages of numbers that count how many were read, and whether reading ended. */
class Pages {
  read = 0;
  ended = false;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly number[]> {
    try {
      while (this.read < this.#count) {
        this.read += 1;
        yield PAGE;
      }
    } finally {
      this.ended = true;
    }
  }
}

interface Served {
  pages: AsyncIterable<readonly number[]>;
  format?: ExportFormat;
  limits?: ExportLimits;
  line?: string;
  logger?: Logger;
}

/** Serves an export and returns its URL. */
async function serve({
  pages,
  format = ExportFormat.CSV,
  limits,
  line = 'line',
  logger = silent,
}: Served): Promise<string> {
  const sender = new ExportSender(logger, limits);
  const app = express();
  app.get('/', async (_req, response) => {
    const controller = new AbortController();
    response.once('close', () => controller.abort());
    const toLine = (item: number) => `${line} ${item}\n`;
    const receiver = { response, actorId: 'a', accountId: undefined, signal: controller.signal };
    await sender.send(receiver, async () => ({ fileName: 'f', format, pages, header: 'head\n', toLine }));
  });
  app.use(createErrorHandler(silent));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function open(url: string): Promise<IncomingMessage> {
  const [response] = await once(get(url), 'response');
  return response;
}

describe('export', () => {
  it('is a file with a header and one line for each item', async () => {
    const response = await fetch(await serve({ pages: new Pages(3) }));
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="f.csv"');
    const lines = (await response.text()).split('\n');
    expect(lines).toHaveLength(1 + 3 * PAGE.length + 1);
    expect(lines.slice(0, 3)).toEqual(['head', 'line 0', 'line 1']);
  });

  it('of JSON has no header, and may be empty', async () => {
    const response = await fetch(await serve({ pages: new Pages(0), format: ExportFormat.JSON }));
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="f.ndjson"');
    expect(await response.text()).toBe('');
  });

  it('reads no further than a slow client does, and ends when it leaves', async () => {
    const pages = new Pages(1_000_000);
    const response = await open(await serve({ pages, line: 'x'.repeat(1_000) }));
    // Half a megabyte a page: more than the sockets of both sides take.
    await expect.poll(() => response.readableLength).toBeGreaterThan(0);
    let before = -1;
    await expect
      .poll(() => {
        const same = pages.read === before;
        before = pages.read;
        return same;
      })
      .toBe(true);
    expect(pages.read).toBeLessThan(100);
    response.destroy();
    await expect.poll(() => pages.ended).toBe(true);
    expect(pages.read).toBeLessThan(110);
  });

  it('that fails before its first line is an error', async () => {
    const pages = {
      async *[Symbol.asyncIterator]() {
        yield* [];
        throw new ApiError('invalid_request', 'no', { field: 'start' });
      },
    };
    const response = await fetch(await serve({ pages }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { field: 'start' } });
  });

  it.each([
    ['has too many rows', { ...EXPORT_LIMITS, maxRows: 999 }],
    ['takes too long', { ...EXPORT_LIMITS, maxMs: 0 }],
  ])('that %s is cut off, not ended, and the log says so', async (_, limits) => {
    const logged: string[] = [];
    const logger = createLogger('test', 'warn', { destination: { write: (line) => void logged.push(line) } });
    const url = await serve({ pages: new Pages(3), limits, logger });
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    expect(logged).toEqual([expect.stringContaining('an export was cut off')]);
  });
});
