import { DECLARING, SEARCHED, SEARCHING } from '@tollgate/protocols/testing/openai-responses/codex';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(1_000_000_000_000n);
});

/** Sends a request of Codex to a model, which makes these calls. */
async function ask(body: object, upstream: string, calls: readonly { name: string; arguments: string }[]) {
  const directive = { type: 'message', role: 'user', content: `[simulate ${JSON.stringify({ tool_calls: calls })}]` };
  const input = [...(Array.isArray(at(body, 'input')) ? (at(body, 'input') as unknown[]) : []), directive];
  const response = await gateway.send({
    method: 'POST',
    path: '/v1/responses',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${account.key}` },
    body: JSON.stringify({ ...body, input, model: `via-${upstream}`, stream: false }),
  });
  return { response, items: at(response.json, 'output') };
}

describe.each(UPSTREAM_PROTOCOLS)('Codex and a model of %s', (upstream) => {
  it('gets calls of its search and of its plain-text tools as its own items', async () => {
    const patch = upstream === 'openai-responses' ? 'text' : '{"input":"text"}';
    const { response, items } = await ask(SEARCHING, upstream, [
      { name: 'tool_search', arguments: '{"query":"weather"}' },
      { name: 'apply_patch', arguments: patch },
    ]);
    expect(response.status, response.text).toBe(200);
    expect(items).toMatchObject([
      { type: 'tool_search_call', execution: 'client', arguments: { query: 'weather' } },
      { type: 'custom_tool_call', name: 'apply_patch', input: 'text' },
    ]);
  });

  it('calls what its search has found, in the namespace of the output', async () => {
    const name = 'mcp__weather__read_weather';
    const { response, items } = await ask(SEARCHED, upstream, [{ name, arguments: '{"city":"Oslo"}' }]);
    expect(response.status, response.text).toBe(200);
    expect(items).toMatchObject([
      { type: 'function_call', name: 'read_weather', namespace: 'mcp__weather', arguments: '{"city":"Oslo"}' },
    ]);
  });

  it('gets one call at a time of tools that it declares in its input', async () => {
    const { response, items } = await ask(DECLARING, upstream, [
      { name: 'collaboration__list_agents', arguments: '{}' },
      { name: 'functions__wait', arguments: '{}' },
    ]);
    expect(response.status, response.text).toBe(200);
    expect(items).toMatchObject([{ type: 'function_call', name: 'list_agents', namespace: 'collaboration' }]);
    expect(items).toHaveLength(1);
  });
});
