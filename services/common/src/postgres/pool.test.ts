import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../logging.ts';
import { createPool, inTransaction } from './pool.ts';

/** A message of the server. https://www.postgresql.org/docs/current/protocol-message-formats.html */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const SHUTDOWN = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

let server: Server;
let port: number;

beforeAll(async () => {
  // Accepts a connection and ends it, in one packet, as a server that is killed may.
  server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUTDOWN])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

it('a connection that ends while it is checked out fails the transaction, and not the process', async () => {
  const options = { url: `postgres://someone@127.0.0.1:${port}/some`, size: 1, applicationName: 'test' };
  const pool = createPool(options, createLogger('test', 'silent'));
  await expect(inTransaction(pool, (client) => client.query('SELECT 1'))).rejects.toThrow();
  await pool.end();
});
