import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import {
  bufferedResponse,
  streamedResponse,
  usageText,
} from '@tollgate/protocols/testing/translate/upstream-responses';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { ENDPOINTS, type Endpoint, withKey } from '@tollgate/test-support/gateway/endpoints';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { describe, expect } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const TEXT = 'These words were delivered, whatever the figures say.';
const MAX_TOKENS = 100;
/** The maximum cost of a call in these tests: 600 tokens of input, and all of the output. */
const MAX_NANOS = 600n * 150n + BigInt(MAX_TOKENS) * 600n;
const EVENTS = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Figures of input and output as JSON texts; undefined leaves one out. */
type Figures = readonly [input: string | undefined, output: string | undefined];

/** Implausible reports. */
const IMPLAUSIBLE: readonly (readonly [input: string, output: string])[] = [
  ['9', '1001'],
  ['9', '1000000000000'],
  ['9', '1000000000000000'],
  ['9007199254740991', '9007199254740991'],
  ['9007199254740993', '9'],
  ['18446744073709551616', '18446744073709551616'],
  ['-9', '3'],
  ['9', '-3'],
  ['9', '0.5'],
  ['1e308', '1e308'],
  ['9', '1e400'],
  ['"nine"', '"3"'],
  ['true', '[]'],
  ['9', '{"tokens":3}'],
];

/** Reports that omit charged usage, or most of it. */
const LACKING: readonly Figures[] = [
  ['9', undefined],
  ['9', 'null'],
  ['9', '0'],
  ['0', '0'],
  ['null', 'null'],
  [undefined, undefined],
];

/** A figure as in the record: numbers as JavaScript parses them, other non-text values by their kind. */
function shown(figure: string): unknown {
  const value: unknown = JSON.parse(figure);
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object' && value !== null) return 'object';
  return value === Number.POSITIVE_INFINITY ? 'Infinity' : value;
}

/** The end of a complete stream, by the client's protocol. */
const LAST_WORDS: Readonly<Record<ProtocolName, RegExp>> = {
  'openai-chat': /data: \[DONE\]\n\n$/,
  'openai-responses': /"type":"response\.(completed|incomplete)".*\n\n$/,
  'anthropic-messages': /"type":"message_stop"\}\n\n$/,
  gemini: /"cost":[0-9.]+[^\n]*\n\n$/,
};

function endpointOf(protocol: ProtocolName): Endpoint {
  const endpoint = ENDPOINTS.find((one) => one.protocol === protocol);
  if (endpoint === undefined) throw new Error(protocol);
  return endpoint;
}

interface Asked {
  client: ProtocolName;
  upstream: ProtocolName;
  stream: boolean;
}

/** Every upstream protocol, with a client of the same and of another one. */
const CALLS: readonly Asked[] = ENDPOINTS.flatMap(({ protocol: upstream }, place) =>
  [upstream, ENDPOINTS[(place + 1) % ENDPOINTS.length]?.protocol ?? upstream].flatMap((client) =>
    [false, true].map((stream) => ({ client, upstream, stream })),
  ),
);

/** Calls the hostile upstream and expects a complete response. @returns the record of its charge */
async function recordOfCall(
  gateway: Gateway,
  account: Account,
  { client, upstream, stream }: Asked,
  { usage, finish = 'stop' }: { usage: string | undefined; finish?: string },
): Promise<unknown> {
  const given = { text: TEXT, finish, usage };
  const body = stream ? streamedResponse(upstream, given) : bufferedResponse(upstream, given);
  const text = gateway.hostile.prepare({ headers: stream ? EVENTS : JSON_TYPE, body });
  const wire = endpointOf(client).request({ model: `hostile-${upstream}`, text, maxTokens: MAX_TOKENS, stream });
  const response = await gateway.send(withKey(account.key, wire));
  expect({ usage, status: response.status, text: response.text }).toMatchObject({ status: 200 });
  expect(response.text).toContain(TEXT);
  expect(response.text).not.toContain('"error":{');
  if (stream) expect(response.text).toMatch(LAST_WORDS[client]);
  return recordOf(gateway, account, response.headers['x-request-id']);
}

withGateway.describe('for any usage that an upstream reports', () => {
  describe.each(CALLS)('$upstream to $client, with stream: $stream', (requested) => {
    withGateway('implausible figures are ignored: the delivered text is charged', async ({ gateway }) => {
      const account = await gateway.accounts.create(BALANCE);
      for (const { figures, reported } of [
        ...IMPLAUSIBLE.map((figures) => ({
          figures,
          reported: { input: shown(figures[0]), output: shown(figures[1]) },
        })),
        ...LACKING.map((figures) => ({ figures, reported: null })),
      ]) {
        const [input, output] = figures;
        const usage = usageText(requested.upstream, input, output);
        const record = await recordOfCall(gateway, account, requested, { usage });
        expect({ usage, record }).toMatchObject({ record: { usage_estimated: true, reported_usage: reported } });
        const charged = { input: Number(at(record, 'usage', 'input')), output: Number(at(record, 'usage', 'output')) };
        expect(charged.input, usage).toBeGreaterThan(0);
        expect(charged.input, usage).toBeLessThanOrEqual(600);
        expect(charged.output, usage).toBeGreaterThan(0);
        expect(charged.output, usage).toBeLessThanOrEqual(MAX_TOKENS);
      }
      await expectAllPaid(gateway, account, IMPLAUSIBLE.length + LACKING.length);
    });

    withGateway('usage beyond the hold is charged at the hold', async ({ gateway }) => {
      const account = await gateway.accounts.create(BALANCE);
      const record = await recordOfCall(gateway, account, requested, {
        usage: usageText(requested.upstream, '200', '1000'),
      });
      expect(record).toMatchObject({
        usage_estimated: false,
        reported_usage: null,
        usage: { input: 200, output: 1_000 },
      });
      expect(costOf(record)).toBeLessThanOrEqual(MAX_NANOS);
      await expectAllPaid(gateway, account, 1);
    });

    withGateway('any finish reason is recorded', async ({ gateway }) => {
      const account = await gateway.accounts.create(BALANCE);
      const words = ['x'.repeat(1_001), 'x'.repeat(100_000), 'a\0b', 'a\ud800b', '\u0001', ''];
      for (const finish of words) {
        // Without one, a stream of Google's is incomplete, and so is one of the others.
        if (finish === '' && requested.stream) continue;
        const usage = usageText(requested.upstream, '9', '3');
        const record = await recordOfCall(gateway, account, requested, { usage, finish });
        const recorded = at(record, 'finish_reason');
        if (recorded !== null) expect(String(recorded)).toMatch(/^[^\0]{0,100}$/);
      }
    });
  });

  withGateway.for(['openai', 'gemini'] as const)(
    'embeddings of %s are charged by their input',
    async (kind, { gateway }) => {
      const account = await gateway.accounts.create(BALANCE);
      const figures = ['1e308', '-1', '0.5', '9007199254740992', '1000000000000', '"five"', '0', 'null'];
      for (const figure of figures) {
        const usage = kind === 'openai' ? `{"prompt_tokens":${figure}}` : `{"promptTokenCount":${figure}}`;
        const body =
          kind === 'openai'
            ? `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5]}],"model":"m","usage":${usage}}`
            : `{"embedding":{"values":[0.5]},"usageMetadata":${usage}}`;
        const input = gateway.hostile.prepare({ headers: JSON_TYPE, body });
        for (const requested of [
          { path: '/v1/embeddings', body: { model: `hostile-embed-${kind}`, input } },
          {
            path: `/v1beta/models/hostile-embed-${kind}:embedContent`,
            body: { content: { parts: [{ text: input }] } },
          },
        ]) {
          const response = await gateway.send({
            method: 'POST',
            path: requested.path,
            headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
            body: JSON.stringify(requested.body),
          });
          expect({ figure, status: response.status, text: response.text }).toMatchObject({ status: 200 });
          const record = await recordOf(gateway, account, response.headers['x-request-id']);
          const reported = figure === '0' || figure === 'null' ? null : { input: shown(figure) };
          expect(record).toMatchObject({ usage_estimated: true, reported_usage: reported });
          expect(Number(at(record, 'usage', 'input'))).toBeGreaterThan(0);
          expect(Number(at(record, 'usage', 'input'))).toBeLessThan(100);
        }
      }
      await expectAllPaid(gateway, account, 2 * figures.length);
    },
  );
});

/** All calls have a record, and their costs add up to the change of the balance. */
async function expectAllPaid(gateway: Gateway, account: Account, calls: number): Promise<void> {
  const records = await allRecords(gateway, account);
  expect(records).toHaveLength(calls);
  const cost = records.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
  expect(await balanceOf(gateway, account)).toBe(BALANCE - cost);
}
