import {
  AuthScheme,
  Bucket,
  CheckOutcome,
  Modality,
  OutputLimitName,
  Parameters,
  WebTools,
} from '@tollgate/proto/router';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credentialSources } from '../../testing/credential-sources.ts';
import {
  EXAMPLE_KEY,
  type ExampleProvider,
  type Faults,
  startExampleProvider,
} from '../../testing/example-provider.ts';
import { deploymentForTests, providerForTests, routableModel } from '../../testing/route-fixture.ts';
import { UpstreamClient } from '../exchange/upstream/call.ts';
import { testProvider } from './test-provider.ts';

const upstream = new UpstreamClient();
let provider: ExampleProvider;

beforeEach(async () => {
  provider = await startExampleProvider();
});
afterEach(() => provider.stop());
afterAll(() => upstream.close());

interface Entry {
  baseUrl?: string;
  secret?: string;
  outputLimit?: OutputLimitName;
  embedding?: boolean;
  ownSearches?: number;
  timeoutMs?: number;
}

async function run({
  baseUrl = `${provider.origin}/v1`,
  secret = EXAMPLE_KEY,
  outputLimit,
  embedding = false,
  ownSearches = 0,
  timeoutMs = 60_000,
}: Entry = {}) {
  const rates = [
    { bucket: Bucket.INPUT, nanosPerMillion: 1_000_000_000n },
    { bucket: Bucket.OUTPUT, nanosPerMillion: 2_000_000_000n },
  ];
  const entry = routableModel(
    {
      maxOutputTokens: 16_384n,
      webTools: WebTools.fromPartial({ maxOwnSearches: ownSearches }),
      outputModalities: [embedding ? Modality.EMBEDDING : Modality.TEXT],
      prices: [{ version: 'v', rates, tiers: [], options: [], effectiveFromMs: 0n }],
      deployments: [
        deploymentForTests({
          inRotation: false,
          credentials: [{ source: { $case: 'environmentVariable', value: 'EXAMPLE_API_KEY' } }],
          parameters: Parameters.fromPartial(outputLimit === undefined ? {} : { outputLimit }),
        }),
      ],
    },
    [providerForTests({ baseUrl, authScheme: AuthScheme.BEARER })],
  );
  const [route] = entry.routes;
  if (route === undefined) throw new Error('the model has no deployment');
  const options = { all: false, timeoutMs, ingressName: 'test' };
  const result = await testProvider(
    { upstream, ...credentialSources({ EXAMPLE_API_KEY: secret }) },
    { entry, route },
    options,
  );
  const named = new Map(result.checks.map((check) => [check.name, check]));
  const failing = result.checks.filter(({ outcome }) => outcome === CheckOutcome.FAILS).map(({ name }) => name);
  expect(JSON.stringify(result.checks)).not.toContain(EXAMPLE_KEY);
  return { result, named, failing };
}

it('shows that everything holds, what it used and what that costs', async () => {
  const { result } = await run();
  expect(result.checks.map(({ name, outcome }) => [name, outcome])).toEqual(
    ['whole', 'usage', 'stream', 'stream_usage', 'tools', 'tool_result', 'error'].map((name) => [
      name,
      CheckOutcome.HOLDS,
    ]),
  );
  // Four answers; the invalid request uses nothing. 100 tokens at 1 dollar and 10 at 2 dollars per million each.
  expect(result).toMatchObject({ requests: 5, inputTokens: 400n, outputTokens: 40n, costNanos: 480_000n });
});

it.each<[string, Faults, Entry, RegExp]>([
  ['DNS', {}, { baseUrl: 'http://no-such-host.invalid/v1' }, /DNS/],
  ['a closed port', {}, { baseUrl: 'http://127.0.0.1:1/v1' }, /connection refused/],
  ['a wrong credential', {}, { secret: 'wrong-secret' }, /refuses the credential/],
  ['an unset credential', {}, { secret: '' }, /has no credential/],
  ['no credit', { status: 402 }, {}, /no credit/],
  ['a missing version in the path', {}, { baseUrl: 'ORIGIN' }, /must include the version/],
  ['an unknown model', { status: 404, message: 'The model m does not exist' }, {}, /does not know this model/],
  ['the older name of the output limit', { old: true }, {}, /output_limit: max_tokens /],
  [
    'the newer name of the output limit',
    { status: 400, message: "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." },
    {},
    /output_limit: max_completion_tokens /,
  ],
  ['an unknown role', { status: 400, message: 'developer is not one of system, user' }, {}, /developer_role: false/],
  [
    'an unknown field for usage in streams',
    { status: 400, message: 'Extra inputs are not permitted: body.stream_options' },
    {},
    /unsupported: \[stream_options\]/,
  ],
  [
    'ids of tool calls that it does not take',
    { status: 400, message: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.' },
    {},
    /tool_call_ids: nine_alphanumeric/,
  ],
  ['a web page', { html: true }, {}, /not of the provider’s protocol/],
  ['a limit', { status: 429, message: 'Slow down' }, {}, /limits requests/],
])('says what to do about %s, and sends nothing more', async (_, fault, { baseUrl, ...entry }, hint) => {
  provider.faults = fault;
  const { named, failing, result } = await run({
    ...entry,
    ...(baseUrl && { baseUrl: baseUrl.replace('ORIGIN', provider.origin) }),
  });
  expect(failing).toEqual(['whole']);
  expect(named.get('whole')?.hint).toMatch(hint);
  expect(named.get('stream')?.outcome).toBe(CheckOutcome.SKIPPED);
  expect(result.requests).toBe(entry.secret === '' ? 0 : 1);
});

it('says what TLS at a plain port is', async () => {
  const { named } = await run({ baseUrl: `${provider.origin.replace('http:', 'https:')}/v1` });
  expect(named.get('whole')?.hint).toMatch(/TLS failed/);
});

it('believes what a provider found where the entry says that it searches by itself', async () => {
  provider.faults = { searches: true };
  expect((await run({ ownSearches: 10 })).failing).toEqual([]);
});

it.each<[string, Faults, string[], string, RegExp]>([
  ['reports no usage', { noUsage: true }, ['usage', 'stream_usage'], 'stream_usage', /include_usage/],
  ['searches by itself', { searches: true }, ['usage'], 'usage', /web_tools: \{ max_own_searches \}/],
  ['does not stream', { noStream: true }, ['stream', 'tools'], 'stream', /does not stream/],
  ['has no tools', { noTools: true }, [], 'tools', /model that calls tools/],
  ['accepts anything', { acceptsAnything: true }, [], 'error', /does not check requests/],
])('finds out that a provider %s', async (_, fault, expected, check, hint) => {
  provider.faults = fault;
  const { named, failing } = await run();
  expect(failing).toEqual(expected);
  expect(named.get(check)?.hint).toMatch(hint);
});

it('shows that everything holds with the parameter that the hint names', async () => {
  provider.faults = { old: true };
  const { result } = await run({ outputLimit: OutputLimitName.MAX_TOKENS });
  expect(result.checks.every(({ outcome }) => outcome === CheckOutcome.HOLDS)).toBe(true);
});

it('ends in time at a provider that stops answering, and skips what is left', async () => {
  const answers = provider.hold(1);
  const { result, failing } = await run({ timeoutMs: 1_500 });
  expect(failing).toEqual(['stream']);
  expect(result.checks.map(({ name, outcome }) => [name, outcome === CheckOutcome.SKIPPED])).toEqual([
    ['whole', false],
    ['usage', false],
    ['stream', false],
    ['stream_usage', true],
    ['tools', true],
    ['tool_result', true],
    ['error', true],
  ]);
  expect(result.checks.find(({ name }) => name === 'stream')?.detail).toMatch(/^timeout/);
  expect(result.checks.find(({ name }) => name === 'error')?.detail).toBe('there was no time left');
  expect(result.requests).toBe(2);
  answers.release();
});

describe('an embedding model', () => {
  const embedding = true;

  it('is asked for vectors, and nothing that only text models do', async () => {
    const { result } = await run({ embedding });
    expect(result.checks).toMatchObject([
      { name: 'embeddings', required: true, outcome: CheckOutcome.HOLDS, detail: '2 vectors of 2 numbers' },
      { name: 'usage', required: true, outcome: CheckOutcome.HOLDS, detail: '7 input tokens' },
      { name: 'error', required: true, outcome: CheckOutcome.HOLDS, httpStatus: 400 },
    ]);
    // 7 tokens at a dollar per million; the invalid request uses nothing.
    expect(result).toMatchObject({ requests: 2, inputTokens: 7n, outputTokens: 0n, costNanos: 7_000n });
  });

  it.each<[string, Faults, Entry, string[], RegExp]>([
    ['reports no usage', { noUsage: true }, {}, ['usage'], /would be estimated/],
    ['returns too few vectors', { oneVector: true }, {}, ['embeddings'], /do not belong to their texts/],
    ['returns vectors of two lengths', { unequalVectors: true }, {}, ['embeddings'], /do not belong/],
    ['is a web page', { html: true }, {}, ['embeddings'], /not of the provider’s protocol/],
    ['fails', { status: 500 }, {}, ['embeddings'], /provider itself failed/],
    ['does not know the model', { status: 404, message: 'no model m' }, {}, ['embeddings'], /does not know this model/],
    ['refuses the credential', {}, { secret: 'wrong-secret' }, ['embeddings'], /refuses the credential/],
    ['has no credential', {}, { secret: '' }, ['embeddings'], /has no credential/],
    ['is not there', {}, { baseUrl: 'http://127.0.0.1:1/v1' }, ['embeddings'], /connection refused/],
  ])('whose provider %s fails with what to do', async (_, faults, entry, expected, hint) => {
    provider.faults = faults;
    const { named, failing, result } = await run({ ...entry, embedding });
    expect(failing).toEqual(expected);
    expect(named.get(expected[0] ?? '')?.hint).toMatch(hint);
    expect(result.checks.map(({ name }) => name)).toEqual(['embeddings', 'usage', 'error']);
  });

  it('whose provider answers an invalid request lacks errors', async () => {
    provider.faults = { acceptsAnything: true };
    const { named } = await run({ embedding });
    expect(named.get('error')?.outcome).toBe(CheckOutcome.LACKS);
  });
});
