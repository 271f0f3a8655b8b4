import { withKey } from '@tollgate/test-support/gateway/endpoints';
import { send, type WireRequest } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { expect } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

const it = withGateway;

function post(path: string, body: object): WireRequest {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** A value that Anthropic's protocol cannot express, which only the translation detects. */
const UNTRANSLATABLE = post('/v1/chat/completions', {
  model: 'via-anthropic-messages',
  messages: [{ role: 'user', content: 'Hello' }],
  logit_bias: { '1': 1 },
});

/** Google's protocol has no input of tokens. */
const UNTRANSLATABLE_EMBEDDINGS = post('/v1/embeddings', { model: 'embed-gemini', input: [1, 2, 3] });

/** The maximum number of parts. */
const MANY_PARTS = post('/v1beta/models/via-openai-chat:generateContent', {
  contents: [{ role: 'user', parts: Array.from({ length: 98_001 }, () => ({ text: 'x' })) }],
});

it.for([
  ['chat-completions', UNTRANSLATABLE],
  ['embeddings', UNTRANSLATABLE_EMBEDDINGS],
] as const)('a request of %s that its account cannot pay for is not translated', async ([, wire], { gateway }) => {
  const poor = await gateway.accounts.create(1n);
  const unpaid = await send(gateway.baseUrl, withKey(poor.key, wire));
  expect(at(unpaid.json, 'error', 'type')).toBe('insufficient_balance');
  const account = await gateway.accounts.create(1_000_000_000n);
  expectModelError(await send(gateway.baseUrl, withKey(account.key, wire)), {
    status: 400,
    type: 'invalid_request_error',
    message: /logit_bias|input/,
  });
});

it('a rejection by the translation releases the hold', async ({ gateway }) => {
  const account = await gateway.accounts.create(1_000_000_000n);
  await send(gateway.baseUrl, withKey(account.key, UNTRANSLATABLE));
  await expect
    .poll(async () => {
      const { json } = await send(gateway.baseUrl, withKey(account.key, { path: '/v1/billing/balance' }));
      return [textAt(json, 'held'), textAt(json, 'available')];
    })
    .toEqual(['0', '1']);
});

it('a body of very many parts is rejected for lack of balance while health checks succeed', async ({ gateway }) => {
  const poor = await gateway.accounts.create(1n);
  const unpaid = Array.from({ length: 4 }, () => send(gateway.baseUrl, withKey(poor.key, MANY_PARTS)));
  const health = await send(gateway.baseUrl, { path: '/health/live' });
  expect(health.status).toBe(200);
  for (const response of await Promise.all(unpaid)) {
    expect({ status: response.status, type: at(response.json, 'error', 'type') }).toEqual({
      status: 402,
      type: 'insufficient_balance',
    });
  }
});
