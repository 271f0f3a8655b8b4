import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ConsoleClient } from './client.ts';

const ROUTE = 'GET /accounts/{account_id}/focus';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

it('a file that is cut off is an error, after what was received', async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/csv' });
    response.write('BilledCost\r\n', () => response.socket?.resetAndDestroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new ConsoleClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    managementKey: 'mk',
  });
  let received = '';
  const download = client.download(ROUTE, { path: { account_id: 'x' } }, async (part) => {
    received += Buffer.from(part).toString();
  });
  await expect(download).rejects.toThrow(/^the file is incomplete: /);
  expect(received).toBe('BilledCost\r\n');
});
