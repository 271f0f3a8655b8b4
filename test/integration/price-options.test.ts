import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { describe, expect, it } from 'vitest';
import {
  type Client,
  callWithOptions,
  MAX_TOKENS,
  type OptionCall,
  type OptionResult,
} from './support/option-calls.ts';
import { withGateway } from './support/shared-gateway.ts';

type Rates = Readonly<Record<keyof typeof RATES.options, bigint>>;

let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(1_000_000_000_000n);
});

/** The rates times a factor with at most two decimals. */
function times(rates: Rates, hundredths: bigint): Rates {
  const scaled = (rate: bigint) => (rate * hundredths) / 100n;
  return {
    input: scaled(rates.input),
    cache_read: scaled(rates.cache_read),
    cache_write_5m: scaled(rates.cache_write_5m),
    cache_write_1h: scaled(rates.cache_write_1h),
    output: scaled(rates.output),
  };
}

const LIST: Rates = RATES.options;
const PRIORITY: Rates = RATES.optionsPriority;
const FLEX = times(LIST, 50n);
const FAST = times(LIST, 600n);
const US = times(LIST, 110n);
const FAST_US = times(LIST, 660n);

const BUCKETS = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h', 'output'] as const;

function bill(usage: OptionResult['usage'], rates: Rates): bigint {
  return BUCKETS.reduce((sum, bucket) => sum + lineNanos(usage[bucket], rates[bucket]), 0n);
}

const CONTROLS = { output_tokens: 20, cached_tokens: 3 };

interface Billed {
  client: Client;
  name: string;
  fields: object;
  controls?: object;
  rates: Rates;
  /** As the record has them. */
  options: object;
  /** As the client sees them. */
  seen: object;
}

const of =
  (client: Client) =>
  (name: string, fields: object, controls: object, rates: Rates, options: object, seen: object): Billed => ({
    client,
    name,
    fields,
    controls,
    rates,
    options,
    seen,
  });

const flex = { service_tier: 'flex' };
const priority = { service_tier: 'priority' };

const OPENAI = (['openai-chat', 'openai-responses'] as const).flatMap((client) => {
  const openai = of(client);
  return [
    openai('nothing', {}, {}, LIST, {}, { tier: 'default' }),
    openai('default', { service_tier: 'default' }, {}, LIST, {}, { tier: 'default' }),
    openai('flex', flex, {}, FLEX, flex, { tier: 'flex' }),
    openai('priority', priority, {}, PRIORITY, priority, { tier: 'priority' }),
    openai('fast, another name of it', { service_tier: 'fast' }, {}, PRIORITY, priority, { tier: 'priority' }),
    openai('priority that falls back', priority, { service_tier: 'default' }, LIST, {}, { tier: 'default' }),
    openai('auto', { service_tier: 'auto' }, {}, LIST, {}, { tier: 'default' }),
    openai('auto that becomes flex', { service_tier: 'auto' }, flex, FLEX, flex, { tier: 'flex' }),
    openai('auto that becomes priority', { service_tier: 'auto' }, priority, PRIORITY, priority, { tier: 'priority' }),
    openai('flex, of which nothing is reported', flex, { service_tier: null }, FLEX, flex, { tier: undefined }),
    openai('flex, reported as a tier without a price', flex, { service_tier: 'ultra' }, FLEX, flex, { tier: 'ultra' }),
    openai('nothing, and gets a cheaper tier', {}, flex, FLEX, flex, { tier: 'flex' }),
    openai('nothing, and gets a dearer tier', {}, priority, LIST, {}, { tier: 'priority' }),
  ];
});

const anthropic = of('anthropic-messages');
const fast = { speed: 'fast' };
const us = { inference_geo: 'us' };
const ephemeral = (ttl: '5m' | '1h') => ({ type: 'ephemeral', ttl });
const shortWrite = { cache_write_5m_tokens: 5 };
const longWrite = { cache_write_1h_tokens: 5 };
const writes = { cache_write_5m_tokens: 2, cache_write_1h_tokens: 4 };
const ANTHROPIC = [
  anthropic('nothing', {}, writes, LIST, {}, { tier: 'standard', speed: 'standard' }),
  anthropic('the standard tier', { service_tier: 'standard_only' }, {}, LIST, {}, { tier: 'standard' }),
  anthropic('a cache for five minutes', { cache_control: ephemeral('5m') }, shortWrite, LIST, {}, {}),
  anthropic('a cache for an hour', { cache_control: ephemeral('1h') }, longWrite, LIST, {}, {}),
  anthropic('fast', fast, writes, FAST, fast, { speed: 'fast' }),
  anthropic('fast that falls back', fast, { speed: 'standard' }, LIST, {}, { speed: 'standard' }),
  anthropic('the US', us, writes, US, us, { inferenceGeo: 'us' }),
  anthropic(
    'fast in the US, with both cache lifetimes',
    { ...fast, ...us },
    writes,
    FAST_US,
    { ...fast, ...us },
    {
      speed: 'fast',
      inferenceGeo: 'us',
    },
  ),
  anthropic('auto that becomes priority', { service_tier: 'auto' }, { ...priority, ...writes }, PRIORITY, priority, {
    tier: 'priority',
  }),
];

const google = of('gemini');
const GOOGLE = [
  google('nothing', {}, {}, LIST, {}, { tier: 'standard' }),
  google('flex', { serviceTier: 'flex' }, {}, FLEX, flex, { tier: 'flex' }),
  google('priority', { serviceTier: 'priority' }, {}, PRIORITY, priority, { tier: 'priority' }),
  google(
    'priority that falls back',
    { serviceTier: 'priority' },
    { service_tier: 'standard' },
    LIST,
    {},
    {
      tier: 'standard',
    },
  ),
  google('flex, as Vertex AI reports it', { serviceTier: 'flex' }, { traffic_type: 'ON_DEMAND_FLEX' }, FLEX, flex, {
    tier: 'ON_DEMAND_FLEX',
  }),
  google(
    'priority that falls back on Vertex AI',
    { serviceTier: 'priority' },
    { traffic_type: 'ON_DEMAND' },
    LIST,
    {},
    {
      tier: 'ON_DEMAND',
    },
  ),
];

describe.each([false, true])('options are billed as the provider reports them, stream: %s', (stream) => {
  it.each([...OPENAI, ...ANTHROPIC, ...GOOGLE])('$client asks for $name', async (billed) => {
    const { client, fields, controls, rates, options, seen } = billed;
    const text = directed('Hello', { ...CONTROLS, ...controls });
    const call = { client, model: `options-${client}`, stream, text, fields };
    const result = await callWithOptions(gateway, account.key, call);
    expect(result).toMatchObject({ ...seen, usage: { cache_read: 3, output: 20 } });
    const record = await recordOf(gateway, account, result.requestId);
    expect(record).toMatchObject({ usage_estimated: false, streamed: stream });
    expect(at(record, 'price_options')).toEqual(options);
    expect(costOf(record)).toBe(bill(result.usage, rates));
  });
});

/** The request on the wire, with a limit of MAX_TOKENS. */
function post(
  client: Client,
  model: string,
  key: string,
  fields: object,
  controls: Record<string, unknown> = {},
): Promise<WireResponse> {
  const text = directed('Hello', controls);
  const [path, body] = {
    'openai-chat': ['/v1/chat/completions', { model, max_completion_tokens: MAX_TOKENS, messages: say(text) }],
    'openai-responses': ['/v1/responses', { model, max_output_tokens: MAX_TOKENS, input: text }],
    'anthropic-messages': ['/v1/messages', { model, max_tokens: MAX_TOKENS, messages: say(text) }],
    gemini: [
      `/v1beta/models/${model}:generateContent`,
      { contents: [{ parts: [{ text }] }], generationConfig: { maxOutputTokens: MAX_TOKENS } },
    ],
  }[client] as [string, object];
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'anthropic-beta': 'fast-mode-2026-02-01',
  };
  return gateway.send({ method: 'POST', path, headers, body: JSON.stringify({ ...body, ...fields }) });
}

describe('the highest price that may be billed is held', () => {
  /** The maximum cost, as the refusal for an account without balance states it. */
  async function holdOf(client: Client, model: string, fields: object, controls = {}): Promise<bigint> {
    const poor = await gateway.accounts.create(0n);
    const refused = await post(client, model, poor.key, fields, controls);
    return nanos(/\$(\d+\.\d+)/.exec(refused.text)?.[1] ?? refused.text);
  }

  /** All of the prompt at the highest rate of input, and the output. */
  function most(tokens: bigint, rates: Rates, output = MAX_TOKENS): bigint {
    return (tokens * rates.cache_write_1h + BigInt(output) * rates.output) / 1_000_000n;
  }

  /** The tokens of the prompt, from what is held at list price. */
  async function heldTokens(client: Client, model: string, controls = {}, output = MAX_TOKENS): Promise<bigint> {
    const listed = await holdOf(client, model, {}, controls);
    const tokens = ((listed - most(0n, LIST, output)) * 1_000_000n) / LIST.cache_write_1h;
    expect(most(tokens, LIST, output)).toBe(listed);
    return tokens;
  }

  it.each([
    ...(['openai-chat', 'openai-responses'] as const).flatMap((client) => [
      { client, fields: flex, highest: LIST },
      { client, fields: priority, highest: PRIORITY },
      { client, fields: { service_tier: 'auto' }, highest: PRIORITY },
      { client, fields: { service_tier: 'default' }, highest: LIST },
    ]),
    { client: 'anthropic-messages' as const, fields: fast, highest: FAST },
    { client: 'anthropic-messages' as const, fields: us, highest: US },
    { client: 'anthropic-messages' as const, fields: { ...fast, ...us }, highest: FAST_US },
    { client: 'anthropic-messages' as const, fields: { service_tier: 'auto' }, highest: PRIORITY },
    { client: 'gemini' as const, fields: { serviceTier: 'priority' }, highest: PRIORITY },
    { client: 'gemini' as const, fields: { serviceTier: 'flex' }, highest: LIST },
  ])('$client with $fields', async ({ client, fields, highest }) => {
    const model = `options-${client}`;
    // The limit is required in messages, and so it is lowered to what the balance pays for, down to this.
    const output = client === 'anthropic-messages' ? 16 : MAX_TOKENS;
    const tokens = await heldTokens(client, model, {}, output);
    expect(await holdOf(client, model, fields)).toBe(most(tokens, highest, output));
  });

  it('by the multiplier of the deployment too, exactly as it is charged', async () => {
    const controls = { output_tokens: 'max' };
    const tokens = await heldTokens('openai-chat', 'options-openai-chat', controls);
    const hold = await holdOf('openai-chat', 'options-regional', priority, controls);
    expect(hold).toBe(most(tokens, times(PRIORITY, 110n)));
    expect(await holdOf('openai-chat', 'options-regional', {}, controls)).toBe(most(tokens, times(LIST, 110n)));
    const exact = await gateway.accounts.create(hold);
    const response = await post('openai-chat', 'options-regional', exact.key, priority, controls);
    const record = await recordOf(gateway, exact, response.headers['x-request-id']);
    expect(at(record, 'price_options')).toEqual({ ...priority, price_multiplier: '1.1' });
    const input = Number(at(response.json, 'usage', 'prompt_tokens'));
    const used = { input, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, output: MAX_TOKENS };
    expect(costOf(record)).toBe(bill(used, times(PRIORITY, 110n)));
    expect(await balanceOf(gateway, exact)).toBe(hold - costOf(record));
  });

  it('so a provider that reports a dearer tier and ignores the limit takes no more', async () => {
    const controls = { ignore_limit: true, output_tokens: 900, service_tier: 'priority' };
    const hold = await holdOf('openai-chat', 'options-openai-chat', flex, controls);
    const exact = await gateway.accounts.create(hold);
    const response = await post('openai-chat', 'options-openai-chat', exact.key, flex, controls);
    const record = await recordOf(gateway, exact, response.headers['x-request-id']);
    expect(at(record, 'price_options')).toEqual(flex);
    expect(costOf(record)).toBe(hold);
    expect(await balanceOf(gateway, exact)).toBe(0n);
  });
});

it.each([
  { fields: {}, options: {}, rates: LIST },
  { fields: flex, options: flex, rates: FLEX },
  { fields: priority, options: priority, rates: PRIORITY },
])('a regional endpoint multiplies the price of $fields', async ({ fields, options, rates }) => {
  const text = directed('Hello', CONTROLS);
  const call: OptionCall = { client: 'openai-chat', model: 'options-regional', stream: false, text, fields };
  const result = await callWithOptions(gateway, account.key, call);
  const record = await recordOf(gateway, account, result.requestId);
  expect(at(record, 'price_options')).toEqual({ ...options, price_multiplier: '1.1' });
  expect(costOf(record)).toBe(bill(result.usage, times(rates, 110n)));
});

it('a provider that does not accept the beta of an option is not sent it, and the list price is billed', async () => {
  const text = directed('Hello', CONTROLS);
  const call: OptionCall = {
    client: 'anthropic-messages',
    model: 'options-without-betas',
    stream: false,
    text,
    fields: { ...fast, ...us },
  };
  const result = await callWithOptions(gateway, account.key, call);
  const traceId = String(result.headers.get('x-trace-id')).replaceAll('-', '');
  const body: unknown = JSON.parse(gateway.simulator.recorder.list(traceId)[0]?.body ?? '');
  expect(body).toMatchObject(us);
  expect(body).not.toHaveProperty('speed');
  expect(JSON.stringify([...result.headers])).toContain('speed');
  const record = await recordOf(gateway, account, result.requestId);
  expect(at(record, 'price_options')).toEqual(us);
  expect(costOf(record)).toBe(bill(result.usage, US));
});

describe('a value without a price is refused by name', () => {
  it.each([
    ['openai-chat', 'options-openai-chat', { service_tier: 'scale' }, 'service_tier: only "auto", "default", "flex"'],
    ['openai-chat', 'via-openai-chat', flex, 'service_tier: only "auto" and "default"'],
    ['openai-responses', 'options-openai-responses', { service_tier: 'ultrafast' }, 'service_tier: only'],
    ['anthropic-messages', 'via-anthropic-messages', fast, 'speed: only "standard"'],
    [
      'anthropic-messages',
      'options-anthropic-messages',
      { inference_geo: 'eu' },
      'inference_geo: only "global" and "us"',
    ],
    ['gemini', 'options-gemini', { serviceTier: 'batch' }, 'serviceTier: only'],
    ['gemini', 'via-gemini', { service_tier: 'SERVICE_TIER_FLEX' }, 'service_tier: only'],
  ] as const)('%s, %s with %o', async (client, model, fields, message) => {
    const refused = await post(client, model, account.key, fields);
    expect(refused.status).toBe(400);
    expect(textAt(refused.json, 'error', 'message')).toContain(message);
  });
});

describe('a stream that breaks off is billed at what it had reported by then', () => {
  it.each([
    { client: 'openai-chat', fields: priority, controls: { service_tier: 'default' }, rates: LIST, options: {} },
    { client: 'openai-chat', fields: { service_tier: 'auto' }, controls: flex, rates: FLEX, options: flex },
    { client: 'openai-chat', fields: flex, controls: { service_tier: null }, rates: FLEX, options: flex },
    // It begins with what was requested.
    { client: 'openai-responses', fields: priority, controls: {}, rates: PRIORITY, options: priority },
    { client: 'openai-responses', fields: { service_tier: 'auto' }, controls: flex, rates: LIST, options: {} },
    { client: 'anthropic-messages', fields: fast, controls: { speed: 'standard' }, rates: LIST, options: {} },
    { client: 'anthropic-messages', fields: fast, controls: {}, rates: FAST, options: fast },
    {
      client: 'gemini',
      fields: { serviceTier: 'priority' },
      controls: { service_tier: 'standard' },
      rates: LIST,
      options: {},
    },
  ] as const)('$client with $fields, reported: $controls', async ({ client, fields, controls, rates, options }) => {
    const text = directed('Hello', { output_tokens: 50, end_after_events: 12, ...controls });
    const call: OptionCall = { client, model: `options-${client}`, stream: true, text, fields, breaks: true };
    const result = await callWithOptions(gateway, account.key, call);
    const record = await recordOf(gateway, account, result.requestId);
    expect(record).toMatchObject({ status: 'failed' });
    expect(at(record, 'price_options')).toEqual(options);
    const { input, output } = Object.fromEntries(
      listAt(record, 'lines').map((line) => [textAt(line, 'bucket'), Number(at(line, 'quantity'))]),
    );
    expect(output).toBeGreaterThan(0);
    const usage = { input: input ?? 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, output: output ?? 0 };
    expect(costOf(record)).toBe(bill(usage, rates));
  });

  it('also towards a client of another protocol', async () => {
    const text = directed('Hello', { output_tokens: 50, end_after_events: 12, service_tier: 'default' });
    const call: OptionCall = {
      client: 'openai-responses',
      model: 'options-openai-chat',
      stream: true,
      text,
      fields: priority,
      breaks: true,
    };
    const result = await callWithOptions(gateway, account.key, call);
    const record = await recordOf(gateway, account, result.requestId);
    expect(record).toMatchObject({ status: 'failed' });
    expect(at(record, 'price_options')).toEqual({});
  });
});

it('the cost within a stream is that of the tier reported by then', async () => {
  const controls = { output_tokens: 10, usage: 'cumulative', service_tier: 'default' };
  const response = await gateway.chat(account.key, {
    model: 'options-openai-chat',
    messages: say('Hello'),
    stream: true,
    stream_options: { include_usage: true },
    ...priority,
    ...simulate(controls),
  });
  const chunks = response.text.split('\n\n').filter((event) => event.includes('"usage":{'));
  expect(chunks.length).toBeGreaterThan(5);
  for (const chunk of chunks) {
    const usage: unknown = at(JSON.parse(chunk.slice('data: '.length)), 'usage');
    const used = { cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 };
    const input = Number(at(usage, 'prompt_tokens'));
    const output = Number(at(usage, 'completion_tokens'));
    const cost = /"cost":([\d.]+)/.exec(chunk)?.[1];
    // The first chunk has no text yet, and no usage of it.
    if (output > 0) expect(nanos(cost ?? '')).toBe(bill({ ...used, input, output }, LIST));
  }
  const record = await recordOf(gateway, account, response.headers['x-request-id']);
  expect(at(record, 'price_options')).toEqual({});
});

interface Translated {
  client: Client;
  upstream: Client;
  name: string;
  fields: object;
  controls?: object;
  /** What the provider gets; undefined: nothing of it. */
  sent: object | undefined;
  warning?: string;
  rates: Rates;
  tier: unknown;
}

const auto = { service_tier: 'auto' };
const served = (service_tier: string | null) => ({ service_tier });

const SAME_WORDS = (
  [
    ['openai-chat', 'openai-responses'],
    ['openai-responses', 'openai-chat'],
  ] as const
).flatMap(([client, upstream]): Translated[] => [
  { client, upstream, name: 'flex', fields: flex, sent: flex, rates: FLEX, tier: 'flex' },
  { client, upstream, name: 'fast', fields: served('fast'), sent: priority, rates: PRIORITY, tier: 'priority' },
  {
    client,
    upstream,
    name: 'priority that falls back',
    fields: priority,
    controls: served('default'),
    sent: priority,
    rates: LIST,
    tier: 'default',
  },
  {
    client,
    upstream,
    name: 'flex, of which nothing is reported',
    fields: flex,
    controls: served(null),
    sent: flex,
    rates: FLEX,
    tier: 'flex',
  },
  {
    client,
    upstream,
    name: 'auto that becomes flex',
    fields: auto,
    controls: flex,
    sent: undefined,
    rates: FLEX,
    tier: 'flex',
  },
  {
    client,
    upstream,
    name: 'nothing, and gets a dearer tier',
    fields: {},
    controls: priority,
    sent: undefined,
    rates: LIST,
    tier: 'priority',
  },
]);

const TRANSLATED: readonly Translated[] = [
  ...SAME_WORDS,
  ...(['openai-chat', 'openai-responses'] as const).flatMap((client): Translated[] => [
    {
      client,
      upstream: 'gemini',
      name: 'flex',
      fields: flex,
      sent: { serviceTier: 'flex' },
      rates: FLEX,
      tier: 'flex',
    },
    {
      client,
      upstream: 'gemini',
      name: 'priority that falls back',
      fields: priority,
      controls: served('standard'),
      sent: { serviceTier: 'priority' },
      rates: LIST,
      tier: 'default',
    },
    {
      client,
      upstream: 'anthropic-messages',
      name: 'flex',
      fields: flex,
      sent: undefined,
      warning: 'service_tier: left out at list price',
      rates: LIST,
      tier: 'default',
    },
    {
      client,
      upstream: 'anthropic-messages',
      name: 'auto that becomes priority',
      fields: auto,
      controls: priority,
      sent: undefined,
      rates: PRIORITY,
      tier: 'priority',
    },
  ]),
  ...(['openai-chat', 'openai-responses'] as const).flatMap((upstream): Translated[] => [
    {
      client: 'gemini',
      upstream,
      name: 'priority',
      fields: { serviceTier: 'priority' },
      sent: priority,
      rates: PRIORITY,
      tier: 'priority',
    },
    {
      client: 'gemini',
      upstream,
      name: 'flex that falls back',
      fields: { serviceTier: 'flex' },
      controls: served('default'),
      sent: flex,
      rates: LIST,
      tier: 'standard',
    },
    {
      client: 'anthropic-messages',
      upstream,
      name: 'fast',
      fields: fast,
      sent: undefined,
      warning: 'speed: left out at list price',
      rates: LIST,
      tier: 'standard',
    },
    {
      client: 'anthropic-messages',
      upstream,
      name: 'auto that becomes priority',
      fields: auto,
      controls: priority,
      sent: undefined,
      rates: PRIORITY,
      tier: 'priority',
    },
    {
      client: 'anthropic-messages',
      upstream,
      name: 'auto that becomes flex, which its protocol has no word for',
      fields: auto,
      controls: flex,
      sent: undefined,
      rates: FLEX,
      tier: null,
    },
  ]),
];

describe.each([false, true])('another protocol, stream: %s', (stream) => {
  it.each(TRANSLATED)('$client to $upstream: $name', async (translated) => {
    const { client, upstream, fields, controls, sent, warning, rates, tier } = translated;
    const text = directed('Hello', { ...CONTROLS, ...controls });
    const call = { client, model: `options-${upstream}`, stream, text, fields };
    const result = await callWithOptions(gateway, account.key, call);
    const traceId = String(result.headers.get('x-trace-id')).replaceAll('-', '');
    const body: unknown = JSON.parse(gateway.simulator.recorder.list(traceId)[0]?.body ?? '');
    if (sent !== undefined) expect(body).toMatchObject(sent);
    else for (const field of ['service_tier', 'serviceTier', 'speed']) expect(body).not.toHaveProperty(field);
    const warnings = JSON.stringify([...result.headers]);
    if (warning === undefined) expect(warnings).not.toContain('left out at list price');
    else expect(warnings).toContain(warning);
    expect(result.tier).toEqual(tier);
    const record = await recordOf(gateway, account, result.requestId);
    expect(costOf(record)).toBe(bill(result.usage, rates));
  });
});
