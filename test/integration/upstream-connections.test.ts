import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from '@tollgate/common/http-server';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import { type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { afterAll, beforeAll, expect, it } from 'vitest';

const CONNECTIONS = 12;
let gateway: Gateway;
let account: Account;
let provider: Server;
/** Connections of the ingress to the provider. */
const sockets = new Set<Socket>();
/** Connections to a provider server that has ended, which resets them on any data. */
const gone = new Set<Socket>();

beforeAll(async () => {
  gateway = await startGateway();
  account = await gateway.accounts.create(1_000_000_000n);
  provider = createServer({ keepAliveTimeout: 120_000 }, (req, res) => {
    if (gone.has(req.socket)) {
      req.socket.resetAndDestroy();
      return;
    }
    const { method, url: path, headers } = req;
    const onwards = request(`${gateway.simulator.url}${path}`, { method, headers }, (response) => {
      res.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(res);
    });
    onwards.on('error', () => res.destroy());
    req.pipe(onwards);
  });
  provider.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listen(provider, '127.0.0.1', 0);
  const catalogue = readFileSync(gateway.catalogueFile, 'utf8');
  writeFileSync(gateway.catalogueFile, catalogue.replaceAll(gateway.simulator.url, `http://127.0.0.1:${port}`));
});
afterAll(async () => {
  await gateway.stop();
  provider.closeAllConnections();
  provider.close();
});

function chat() {
  return gateway.chat(account.key, { model: 'small', messages: say('Hi'), ...simulate({ head_delay_ms: 300 }) });
}

it('a request succeeds although all open connections to its provider are dead', async () => {
  const connect = async () => {
    await Promise.all(Array.from({ length: CONNECTIONS }, chat));
    return sockets.size;
  };
  await expect.poll(connect, { timeout: 30_000 }).toBeGreaterThanOrEqual(CONNECTIONS);
  for (const socket of sockets) gone.add(socket);

  const response = await chat();
  expect(response.status).toBe(200);
  expect(await recordOf(gateway, account, response.headers['x-request-id'])).toMatchObject({ retries: 1 });
});
