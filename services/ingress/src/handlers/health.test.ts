import { createServer, type Server } from 'node:http';
import { listen } from '@tollgate/common/http-server';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import { createReadyHandler } from './health.ts';

const logger = createLogger('ingress', 'silent');
let server: Server;
let port: number;
let problem: string | undefined;

beforeEach(async () => {
  const handler = createReadyHandler({ problem: () => problem, logger });
  server = createServer((req, res) => handler(req as TollgateRequest, res as TollgateResponse));
  port = await listen(server, '127.0.0.1', 0);
});
afterEach(() => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

async function ask(): Promise<[number, unknown]> {
  const response = await fetch(`http://127.0.0.1:${port}`);
  return [response.status, await response.json()];
}

it('reports why it is not ready, and logs each change once', async () => {
  const info = vi.spyOn(logger, 'info');
  problem = 'without routes';
  expect(await ask()).toEqual([503, { status: 'not ready', reason: 'without routes' }]);
  expect(await ask()).toEqual([503, { status: 'not ready', reason: 'without routes' }]);
  problem = undefined;
  expect(await ask()).toEqual([200, { status: 'ready' }]);
  expect(await ask()).toEqual([200, { status: 'ready' }]);
  expect(info.mock.calls).toEqual([[{ reason: 'without routes' }, 'not serving'], ['serving']]);
});
