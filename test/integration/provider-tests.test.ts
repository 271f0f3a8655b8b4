import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import { type Gateway, PROVIDER_KEY } from '@tollgate/test-support/gateway/gateway';
import { describe, expect, it } from 'vitest';
import { operatorOf } from './support/operator.ts';
import { withGateway } from './support/shared-gateway.ts';

let gateway: Gateway;

withGateway.beforeAll(({ gateway: shared }) => {
  gateway = shared;
});

/** Tests a provider, as an operator does. */
function test(provider: string, body: { model?: string; all?: boolean } = {}) {
  return operatorOf(gateway).call('POST /operator/providers/{provider}/test', { path: { provider }, body });
}

/** The report of a test, with its checks by name. */
async function reportOf(...args: Parameters<typeof test>) {
  const { status, body } = await test(...args);
  expect(status).toBe(200);
  return { ...body, byName: Object.fromEntries(body.checks.map((check) => [check.name, check])) };
}

const REQUIRED = ['whole', 'usage', 'stream', 'stream_usage', 'tools', 'tool_result', 'error'];

describe('providers', () => {
  it('are listed with whether an ingress has the credential, but never the credential', async () => {
    const { data } = await operatorOf(gateway).ok('GET /operator/providers');
    const named = (id: string) => data.find(({ provider }) => provider === id);
    expect(named('sim')).toMatchObject({
      protocol: 'openai-chat',
      base_url: `${gateway.simulator.url}/v1`,
      simulated: true,
      credential: 'present',
    });
    expect(named('sim')?.deployments.length).toBeGreaterThan(10);
    expect(named('unkeyed')).toMatchObject({
      credential: 'missing',
      credential_problem: 'environment variable TEST_UNSET_KEY is not set',
    });
    expect(named('sim-gemini')).toMatchObject({ protocol: 'gemini', credential: 'not_needed' });
    expect(JSON.stringify(data)).not.toContain(PROVIDER_KEY);
  });
});

describe('the test of a provider', () => {
  it.each(['sim', ...UPSTREAM_PROTOCOLS.slice(1).map((protocol) => `sim-${protocol}`)])(
    'shows that everything required holds at %s',
    async (provider) => {
      const report = await reportOf(provider);
      const checks = report.checks.map(({ name, result }) => `${name} ${result}`);
      expect(checks).toEqual(REQUIRED.map((name) => `${name} holds`));
      expect(report).toMatchObject({ provider, deployment: expect.stringContaining(provider) });
      // whole, stream, a tool call by choice and by force, its result, and an invalid request without usage
      expect(report.requests).toBe(6);
      expect(report.input_tokens).toBeGreaterThan(0);
      expect(report.cost).toMatch(/^0\.0\d+$/);
    },
  );

  it('checks what only some models can do, of a model of choice', async () => {
    const report = await reportOf('sim', { model: 'thinking', all: true });
    expect(report.model).toBe('thinking');
    expect(report.byName['json_schema']).toMatchObject({ result: 'holds', detail: 'the response matches the schema' });
    expect(report.byName['cached_tokens']).toMatchObject({ result: 'lacks' });
  });

  it.each([
    ['sim-embeddings', 'embed-only', {}],
    ['sim-gemini', 'embed-gemini', { model: 'embed-gemini', all: true }],
  ])('tests an embedding model of %s', async (provider, model, options) => {
    const report = await reportOf(provider, options);
    expect(report).toMatchObject({ model, provider, requests: 2, output_tokens: 0 });
    expect(report.checks).toMatchObject([
      { name: 'embeddings', result: 'holds', detail: expect.stringMatching(/^2 vectors of \d+ numbers$/) },
      { name: 'usage', result: 'holds', detail: expect.stringMatching(/^\d+ input tokens$/) },
      { name: 'error', result: 'holds' },
    ]);
  });

  it('tests a model that is disabled', async () => {
    expect(await reportOf('sim', { model: 'switched-off' })).toMatchObject({ model: 'switched-off' });
  });

  it('says what to do about what fails: nothing listens, no credential', async () => {
    const dead = await reportOf('dead');
    expect(dead.byName['whole']).toMatchObject({
      result: 'fails',
      required: true,
      detail: expect.stringContaining('ECONNREFUSED'),
      hint: expect.stringContaining('Nothing listens there (connection refused).'),
    });
    expect(dead.byName['stream']).toMatchObject({ result: 'skipped', detail: 'the first request failed' });
    const { whole } = (await reportOf('unkeyed')).byName;
    expect(whole?.detail).toContain('environment variable TEST_UNSET_KEY is not set');
    expect(whole?.hint).toContain('The ingress has no credential.');
  });

  it.each([
    { provider: 'nowhere', model: undefined, message: /no provider nowhere/ },
    { provider: 'sim', model: 'nothing', message: /no model nothing with a deployment at sim/ },
  ])('refuses $provider with the model $model', async ({ provider, model, message }) => {
    const { status, error } = await test(provider, model === undefined ? {} : { model });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(error?.message).toMatch(message);
  });
});
