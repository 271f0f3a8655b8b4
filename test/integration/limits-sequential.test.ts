import type { Account } from '@tollgate/test-support/gateway/accounts';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send, type WireRequest } from '@tollgate/test-support/gateway/http';
import { Link } from '@tollgate/test-support/network/link';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Far longer than a request that is refused waits for the end of another. */
const DELAY_MS = 200;
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 50, ...simulate({ output_tokens: 3 }) };
let gateway: Gateway;
let account: Account;
/** The first ingress' connections to Redis. */
let link: Link;

beforeAll(async () => {
  const route = async (from: string, to: string, address: string) => {
    if (from !== 'ingress' || to !== 'redis') return address;
    link = await Link.open('ingress>redis', address);
    return link.address;
  };
  gateway = await startGateway({ ingresses: 2, redis: redisUrl(), route, env: { REDIS_TIMEOUT_MS: '10000' } });
  account = await gateway.accounts.create(1_000_000_000n, { limits: { openRequests: 1 } });
  link.set({ kind: 'slow', byMs: DELAY_MS });
});
afterAll(async () => {
  await gateway?.stop();
  await link?.close();
});

function get(path: string): WireRequest {
  return { path, headers: { authorization: `Bearer ${account.key}` } };
}

function post(path: string, body: object): WireRequest {
  return { ...chatRequest(account.key, body), path };
}

const REQUESTS: readonly [string, number, () => WireRequest][] = [
  ['a response', 200, () => post('/v1/chat/completions', CALL)],
  ['a stream', 200, () => post('/v1/chat/completions', { ...CALL, stream: true })],
  ['an error', 400, () => post('/v1/chat/completions', {})],
  ['an unknown path', 404, () => get('/v1/unknown')],
  ['a token count', 200, () => post('/v1/messages/count_tokens', CALL)],
  ['embeddings', 200, () => post('/v1/embeddings', { model: 'embed-openai', input: 'Hi' })],
  ['a list of models', 200, () => get('/v1/models')],
  ['a model', 200, () => get('/v1/models/small')],
  ['a list of models for Google', 200, () => get('/v1beta/models')],
  ['a model for Google', 200, () => get('/v1beta/models/small')],
];

it.each(REQUESTS)(
  '%s has ended for the limit on open requests of every ingress once it is received',
  async (_, status, request) => {
    const [one = '', other = ''] = gateway.stack.facts.base_urls;
    expect((await send(one, request())).status).toBe(status);
    expect((await send(other, chatRequest(account.key, CALL))).status).toBe(200);
  },
);
