import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open, readText } from '@tollgate/test-support/gateway/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';

const DOLLAR = 1_000_000_000n;
const SOON = { timeout: 30_000, interval: 50 };
const OF_PROCESS = 40;
const OF_ACCOUNT = OF_PROCESS / 2;
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 5, ...simulate({ output_tokens: 1 }) };
const SLOW = { ...CALL, stream: true, max_tokens: 2_000, ...simulate({ output_tokens: 2_000, token_delay_ms: 100 }) };
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    env: { MAX_OPEN_REQUESTS: String(OF_PROCESS) },
  });
});
afterAll(() => gateway.stop());

function slowStreams(key: string, count: number): Promise<IncomingMessage[]> {
  return Promise.all(Array.from({ length: count }, () => open(gateway.baseUrl, chatRequest(key, SLOW))));
}

function statuses(responses: readonly IncomingMessage[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { statusCode = 0 } of responses) counts[statusCode] = (counts[statusCode] ?? 0) + 1;
  return counts;
}

async function statusOf(key: string): Promise<number> {
  return (await gateway.chat(key, CALL)).status;
}

it('a flood of slow requests of one account leaves room for others, and a full process reports it', async () => {
  const [flooder, second, third] = await Promise.all([1, 2, 3].map(() => gateway.accounts.create(10n * DOLLAR)));
  if (flooder === undefined || second === undefined || third === undefined) throw new Error('there are three accounts');
  const flood = await slowStreams(flooder.key, 3 * OF_ACCOUNT);
  expect(statuses(flood)).toEqual({ 200: OF_ACCOUNT, 429: 2 * OF_ACCOUNT });
  const refusal = flood.find(({ statusCode }) => statusCode === 429);
  if (refusal === undefined) throw new Error('nothing was refused');
  expect(refusal.headers['retry-after']).toBe('1');
  expect(await readText(refusal)).toContain(
    'The account has reached the maximum number of open requests of one server.',
  );
  // Other keys of the account share its limit.
  const sibling = await gateway.accounts.createKey(flooder.accountId);
  expect(await statusOf(sibling.key)).toBe(429);
  for (let requested = 0; requested < 20; requested++) expect(await statusOf(second.key)).toBe(200);

  const more = await slowStreams(second.key, OF_PROCESS - OF_ACCOUNT);
  expect(statuses(more)).toEqual({ 200: OF_PROCESS - OF_ACCOUNT });
  const full = await gateway.chat(third.key, CALL);
  expectModelError(full, {
    status: 503,
    type: 'internal_error',
    message: 'reached its maximum number of open requests',
  });
  expect(full.headers['retry-after']).toBe('1');
  // An invalid key is still rejected as invalid.
  expect(await statusOf('sk-tollgate-nothing')).toBe(401);
  for (const stream of [...flood, ...more]) stream.destroy();
  for (const { key } of [flooder, second, third]) await expect.poll(() => statusOf(key), SOON).toBe(200);
});

it('requests with slow bodies count as open from their headers on', async () => {
  const [flooder, other] = await Promise.all([1, 2].map(() => gateway.accounts.create(10n * DOLLAR)));
  if (flooder === undefined || other === undefined) throw new Error('there are two accounts');
  expect(await statusOf(flooder.key)).toBe(200);
  let sockets: Socket[] = [];
  const statusAmongDrips = () => {
    // In place of the rejected ones.
    sockets = sockets.filter((socket) => !socket.destroyed);
    while (sockets.length < 2 * OF_ACCOUNT) sockets.push(drip(flooder.key));
    return statusOf(flooder.key);
  };
  await expect.poll(statusAmongDrips, SOON).toBe(429);
  for (let requested = 0; requested < 10; requested++) expect(await statusOf(other.key)).toBe(200);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => statusOf(flooder.key), SOON).toBe(200);
});

/** Sends headers and the start of a body. */
function drip(key: string): Socket {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  // Only the end of the connection matters, not the response.
  socket.resume();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n` +
      'content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model":',
  );
  return socket;
}
