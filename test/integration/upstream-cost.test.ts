import { recordOf } from '@tollgate/test-support/gateway/billing';
import { expect } from 'vitest';
import { operatorOf } from './support/operator.ts';
import { withGateway } from './support/shared-gateway.ts';

/** What the upstream reports: more digits than a float keeps, and more than the customer pays. */
const UPSTREAM_COST = '0.012345678';
const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, cost: 'COST', is_byok: false };
const HEAD = { id: 'gen-1', created: 1_770_000_000, model: 'm', provider: 'Someone' };

function buffered(): string {
  const message = { role: 'assistant', content: 'Hello there' };
  const response = {
    ...HEAD,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: USAGE,
  };
  return JSON.stringify(response).replace('"COST"', UPSTREAM_COST);
}

function streamed(): string {
  const chunk = (delta: object, finish: string | null, rest: object = {}) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...rest })}\n\n`;
  };
  const chunks = [
    chunk({ role: 'assistant', content: 'Hello there' }, null),
    chunk({}, 'stop'),
    chunk({}, null, { choices: [], usage: USAGE }),
  ];
  return `${chunks.join('').replace('"COST"', UPSTREAM_COST)}data: [DONE]\n\n`;
}

const PATHS = { 'openai-chat': '/v1/chat/completions', 'anthropic-messages': '/v1/messages' } as const;

withGateway.describe('what an upstream charges for a call', () => {
  withGateway.for([
    { client: 'openai-chat', stream: false },
    { client: 'openai-chat', stream: true },
    { client: 'anthropic-messages', stream: false },
    { client: 'anthropic-messages', stream: true },
  ] as const)('is kept for operators alone: $client, with stream: $stream', async ({ client, stream }, { gateway }) => {
    const account = await gateway.accounts.create(1_000_000_000n);
    const type = stream ? 'text/event-stream' : 'application/json';
    const text = gateway.hostile.prepare({ headers: { 'content-type': type }, body: stream ? streamed() : buffered() });
    const response = await gateway.send({
      method: 'POST',
      path: PATHS[client],
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'hostile-openai-chat',
        max_tokens: 100,
        stream,
        messages: [{ role: 'user', content: text }],
      }),
    });
    expect(response.status).toBe(200);
    expect(response.text).toContain('Hello there');
    expect(response.text).not.toContain(UPSTREAM_COST);
    const requestId = response.headers['x-request-id'];
    const record = await recordOf(gateway, account, requestId);
    expect(record).toMatchObject({ usage_estimated: false, usage: { input: 9, output: 2 } });
    expect(JSON.stringify(record)).not.toContain(UPSTREAM_COST);
    expect(record).not.toHaveProperty('upstream_cost');
    const path = { account_id: account.accountId, id: String(requestId) };
    const bill = await operatorOf(gateway).ok('GET /accounts/{account_id}/requests/{id}', { path });
    expect(bill).toMatchObject({ request_id: requestId, upstream_cost: UPSTREAM_COST });
  });
});
