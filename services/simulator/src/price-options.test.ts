import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANTHROPIC_HEADERS, at, call, callStream, dataOf } from '../testing/call.ts';
import { type Simulator, startSimulator } from '../testing/start-simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const FAST = { ...ANTHROPIC_HEADERS, 'anthropic-beta': 'fast-mode-2026-02-01' };

const chat = (fields: object) =>
  call(`${simulator.url}/v1/chat/completions`, { model: 'm', messages: MESSAGES, ...fields });
const responses = (fields: object) => call(`${simulator.url}/v1/responses`, { model: 'm', input: 'Hello', ...fields });
const messages = (fields: object, headers: Record<string, string> = ANTHROPIC_HEADERS) =>
  call(`${simulator.url}/v1/messages`, { model: 'm', max_tokens: 100, messages: MESSAGES, ...fields }, headers);
const gemini = (fields: object) =>
  call(`${simulator.url}/v1beta/models/m:generateContent`, { contents: [{ parts: [{ text: 'Hello' }] }], ...fields });

/** What was asked for, and the tier that OpenAI reports. */
const OPENAI = [
  [undefined, 'default'],
  [null, 'default'],
  ['auto', 'default'],
  ['default', 'default'],
  ['flex', 'flex'],
  ['priority', 'priority'],
  ['fast', 'priority'],
] as const;

describe('OpenAI', () => {
  it.each(OPENAI)('serves %s as %s', async (service_tier, served) => {
    expect(at((await chat({ service_tier })).json, 'service_tier')).toBe(served);
    expect(at((await responses({ service_tier })).json, 'service_tier')).toBe(served);
  });

  it('reports another tier than the requested one, or none, as asked', async () => {
    const fields = { service_tier: 'priority', simulate: { service_tier: 'default' } };
    expect(at((await chat(fields)).json, 'service_tier')).toBe('default');
    expect(at((await responses(fields)).json, 'service_tier')).toBe('default');
    const silent = { service_tier: 'flex', simulate: { service_tier: null } };
    expect((await chat(silent)).json).not.toHaveProperty('service_tier');
    expect((await responses(silent)).json).not.toHaveProperty('service_tier');
  });

  it('reports it in every chunk, and at the end of a response what it began with as requested', async () => {
    const body = { model: 'm', service_tier: 'priority', simulate: { service_tier: 'default' }, stream: true };
    const chunks = dataOf(await callStream(`${simulator.url}/v1/chat/completions`, { ...body, messages: MESSAGES }));
    expect(new Set(chunks.map((chunk) => at(chunk, 'service_tier')))).toEqual(new Set(['default']));
    const events = dataOf(await callStream(`${simulator.url}/v1/responses`, { ...body, input: 'Hello' }));
    const tiers = events.map((event) => at(event, 'response', 'service_tier')).filter((tier) => tier !== undefined);
    expect(tiers).toEqual(['priority', 'priority', 'default']);
  });

  it('rejects tiers that it does not have', async () => {
    for (const response of [await chat({ service_tier: 'economy' }), await responses({ service_tier: 'economy' })]) {
      expect(response.status).toBe(400);
      expect(at(response.json, 'error', 'param')).toBe('service_tier');
    }
    expect((await chat({ service_tier: 'ultrafast' })).status).toBe(400);
    expect(at((await responses({ service_tier: 'ultrafast' })).json, 'service_tier')).toBe('ultrafast');
  });
});

describe('Anthropic', () => {
  it('reports the standard tier and speed, and the requested place', async () => {
    const usual = { service_tier: 'standard', speed: 'standard', inference_geo: null };
    expect(at((await messages({})).json, 'usage')).toMatchObject(usual);
    expect(at((await messages({ service_tier: 'standard_only' })).json, 'usage')).toMatchObject(usual);
    expect(at((await messages({ inference_geo: 'us' })).json, 'usage')).toMatchObject({
      ...usual,
      inference_geo: 'us',
    });
  });

  it('is fast only with its beta', async () => {
    expect(at((await messages({ speed: 'fast' }, FAST)).json, 'usage', 'speed')).toBe('fast');
    const refused = await messages({ speed: 'fast' });
    expect(refused.status).toBe(400);
    expect(at(refused.json, 'error', 'message')).toContain('speed');
  });

  it('reports in the first event of a stream what its controls ask for', async () => {
    const simulate = { service_tier: 'priority', speed: 'standard', inference_geo: 'global' };
    const body = { model: 'm', max_tokens: 100, messages: MESSAGES, speed: 'fast', simulate, stream: true };
    const [start] = dataOf(await callStream(`${simulator.url}/v1/messages`, body, FAST));
    expect(at(start, 'message', 'usage')).toMatchObject(simulate);
  });

  it.each([{ service_tier: 'flex' }, { service_tier: 'priority' }, { inference_geo: 'mars' }])(
    'rejects %o',
    async (fields) => {
      expect((await messages(fields)).status).toBe(400);
    },
  );
});

describe('Google', () => {
  it.each([
    [undefined, 'standard'],
    ['unspecified', 'standard'],
    ['flex', 'flex'],
    ['SERVICE_TIER_PRIORITY', 'priority'],
  ])('serves %s as %s', async (serviceTier, served) => {
    expect(at((await gemini({ serviceTier })).json, 'usageMetadata', 'serviceTier')).toBe(served);
  });

  it('reports the tier in every chunk, or a type of traffic as Vertex AI does', async () => {
    const url = `${simulator.url}/v1beta/models/m:streamGenerateContent?alt=sse`;
    const body = { contents: [{ parts: [{ text: 'Hello' }] }], serviceTier: 'priority' };
    const tiers = dataOf(await callStream(url, body)).map((chunk) => at(chunk, 'usageMetadata', 'serviceTier'));
    expect(new Set(tiers)).toEqual(new Set(['priority']));
    const { json } = await gemini({ serviceTier: 'flex', simulate: { traffic_type: 'ON_DEMAND_FLEX' } });
    expect(at(json, 'usageMetadata')).toMatchObject({ trafficType: 'ON_DEMAND_FLEX' });
    expect(at(json, 'usageMetadata')).not.toHaveProperty('serviceTier');
  });

  it('rejects tiers that it does not have', async () => {
    expect((await gemini({ serviceTier: 'batch' })).status).toBe(400);
  });
});
