import { AuthScheme, Bucket, CheckOutcome, OutputLimitName, Parameters } from '@tollgate/proto/router';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { credentialSources } from '../../testing/credential-sources.ts';
import {
  EXAMPLE_KEY,
  type ExampleProvider,
  type Faults,
  startExampleProvider,
} from '../../testing/example-provider.ts';
import { deploymentForTests, providerForTests, routableModel } from '../../testing/route-fixture.ts';
import { UpstreamClient } from '../upstream/call.ts';
import { testProvider } from './test-provider.ts';

const upstream = new UpstreamClient();
let provider: ExampleProvider;

beforeAll(async () => {
  provider = await startExampleProvider();
});
afterAll(async () => {
  await upstream.close();
  await provider.stop();
});
beforeEach(() => {
  provider.faults = {};
});

interface Entry {
  baseUrl?: string;
  secret?: string;
  outputLimit?: OutputLimitName;
}

async function run({ baseUrl = `${provider.origin}/v1`, secret = EXAMPLE_KEY, outputLimit }: Entry = {}) {
  const rates = [
    { bucket: Bucket.INPUT, nanosPerMillion: 1_000_000_000n },
    { bucket: Bucket.OUTPUT, nanosPerMillion: 2_000_000_000n },
  ];
  const entry = routableModel(
    {
      maxOutputTokens: 16_384n,
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
  const options = { all: false, timeoutMs: 60_000, ingressName: 'test' };
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
  expect(result.requests).toBe(1);
});

it('says what TLS at a plain port is', async () => {
  const { named } = await run({ baseUrl: `${provider.origin.replace('http:', 'https:')}/v1` });
  expect(named.get('whole')?.hint).toMatch(/TLS failed/);
});

it.each<[string, Faults, string[], string, RegExp]>([
  ['reports no usage', { noUsage: true }, ['usage', 'stream_usage'], 'stream_usage', /include_usage/],
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
