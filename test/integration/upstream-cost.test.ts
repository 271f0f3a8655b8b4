import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHECKOUT } from '@tollgate/local';
import { costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { expect } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const run = promisify(execFile);

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

/** What an operator sees of requests at the command line. */
async function shownToOperator(gateway: Gateway, ...args: string[]) {
  const { auth, ledger, router } = gateway.stack.facts.grpc;
  const addresses = { AUTH_ADDRESS: auth, LEDGER_ADDRESS: ledger, ROUTER_ADDRESS: router };
  const env = { ...process.env, ...addresses, TOLLGATE_OPERATOR: 'tester' };
  return (await run(join(CHECKOUT, 'services/cli/bin/tollgate'), ['requests', ...args], { env })).stdout;
}

/** What is lost on a request, less than a dollar, as a negative amount. */
function lossOf(costNanos: bigint, upstreamCostNanos: bigint): string {
  const loss = upstreamCostNanos - costNanos;
  expect(loss).toBeGreaterThan(0n);
  return `-0.${loss.toString().padStart(9, '0').replace(/0+$/, '')}`;
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
    const margin = lossOf(costOf(record), 12_345_678n);
    const get = ['get', account.accountId, String(requestId)];
    const shown = JSON.parse(await shownToOperator(gateway, ...get, '--json'));
    expect(shown).toMatchObject({ request_id: requestId, upstream_cost: UPSTREAM_COST, margin });
    const fields = await shownToOperator(gateway, ...get);
    expect(fields).toMatch(/^upstream cost +0\.012345678 USD$/m);
    expect(fields).toMatch(new RegExp(`^margin +${margin} USD$`, 'm'));
    const { requests } = JSON.parse(await shownToOperator(gateway, 'list', account.accountId, '--json'));
    expect(requests).toMatchObject([{ request_id: requestId, upstream_cost: UPSTREAM_COST, margin }]);
  });
});
