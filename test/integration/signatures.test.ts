import { PROTOCOL_NAMES, type ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import { isRecord, type JsonRecord, recordOr } from '@tollgate/protocols/json/record';
import { protocolOf } from '@tollgate/protocols/registry';
import { clientRequest, eventsOf, finalUsage } from '@tollgate/protocols/testing/translate/clients';
import { collectedContent, contentOf, REWRITES, type Rewrite } from '@tollgate/protocols/testing/translate/rewrites';
import { transformResponse, transformStream } from '@tollgate/protocols/testing/translate/transform';
import { translateRequest } from '@tollgate/protocols/translate/request';
import { type Simulator, startSimulator } from '@tollgate/simulator/testing/start-simulator';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(1_000));

/** Models that check most about earlier turns. */
const MODELS: Readonly<Record<ProtocolName, string>> = {
  'openai-chat': 'sim',
  'openai-responses': 'sim',
  'anthropic-messages': 'sim',
  gemini: 'sim+signed-calls',
};
const THOUGHTS = 'Rain was forecast, so I look it up.';
const NAMES = ['rain', 'snow', 'wind'] as const;

interface Step {
  readonly isStream: boolean;
  readonly isShown: boolean;
  readonly hasIds: boolean;
  readonly text: string;
  readonly calls: readonly string[];
}

/** What the model does: it reasons, may say something, and calls up to three tools at once. */
const steps: fc.Arbitrary<Step> = fc.record({
  isStream: fc.boolean(),
  isShown: fc.boolean(),
  hasIds: fc.boolean(),
  text: fc.constantFrom('', 'Let me look.'),
  calls: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
});

function directive({ isShown, hasIds, text, calls }: Step): string {
  const controls = {
    reasoning: THOUGHTS,
    reasoning_redacted: !isShown,
    tool_call_ids: hasIds,
    text,
    tool_calls: calls.map((name) => ({ name, arguments: '{"city":"Ulm"}' })),
  };
  return `Weather? [simulate ${JSON.stringify(controls)}]`;
}

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };

/** The client's request with these turns: with reasoning and tools, as its protocol expresses them. */
function request(client: ProtocolName, turns: readonly JsonRecord[], isStream: boolean): ClientRequest {
  switch (client) {
    case 'openai-chat': {
      const tools = NAMES.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } }));
      const body = { model: 'm', reasoning_effort: 'low', tools, messages: turns, stream: isStream };
      return clientRequest(client, body, isStream);
    }
    case 'openai-responses': {
      const tools = NAMES.map((name) => ({ type: 'function', name, parameters: SCHEMA }));
      const reasoning = { effort: 'low', summary: 'auto' };
      const include = ['reasoning.encrypted_content'];
      const body = { model: 'm', store: false, include, reasoning, tools, input: turns, stream: isStream };
      return clientRequest(client, body, isStream);
    }
    case 'anthropic-messages': {
      const tools = NAMES.map((name) => ({ name, input_schema: SCHEMA }));
      const thinking = { type: 'enabled', budget_tokens: 2_048 };
      const body = { model: 'm', max_tokens: 8_000, thinking, tools, messages: turns, stream: isStream };
      return clientRequest(client, body, isStream);
    }
    case 'gemini': {
      const tools = [{ functionDeclarations: NAMES.map((name) => ({ name, parameters: SCHEMA })) }];
      const generationConfig = { thinkingConfig: { includeThoughts: true, thinkingBudget: 2_048 } };
      return clientRequest(client, { contents: turns, tools, generationConfig }, isStream);
    }
    default:
      return client satisfies never;
  }
}

function prompt(client: ProtocolName, text: string): JsonRecord {
  return client === 'gemini' ? { role: 'user', parts: [{ text }] } : { role: 'user', content: text };
}

/** A result for each call, in the order in which the client returns them. */
function results(client: ProtocolName, content: readonly JsonRecord[]): JsonRecord[] {
  switch (client) {
    case 'openai-chat':
      return records(content[0]?.['tool_calls']).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Sun.' }));
    case 'openai-responses':
      return content
        .filter((item) => item['type'] === 'function_call')
        .map((item) => ({ type: 'function_call_output', call_id: item['call_id'], output: 'Sun.' }));
    case 'anthropic-messages': {
      const calls = content.filter((block) => block['type'] === 'tool_use');
      const said = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Sun.' }));
      return [{ role: 'user', content: said }];
    }
    case 'gemini': {
      const calls = content.flatMap((part) => (isRecord(part['functionCall']) ? [part['functionCall']] : []));
      const parts = calls.map(({ id, name }) => ({
        functionResponse: { ...(id !== undefined && { id }), name, response: { output: 'Sun.' } },
      }));
      return [{ role: 'user', parts }];
    }
    default:
      return client satisfies never;
  }
}

function records(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.map(recordOr) : [];
}

/** The request for the provider, as the gateway sends it. */
function sentBody(client: ClientRequest, from: ProtocolName, to: ProtocolName): Buffer {
  expect(client.policy.errors).toEqual([]);
  const parameters = { reasoningHistory: 'reasoning_content' as const };
  const dispatch = { upstreamModel: MODELS[to], outputTokens: undefined, parameters };
  if (from === to) return client.editRequest(dispatch);
  const target = { ...dispatch, isStream: client.isStream, maxOutputTokens: 60_000 };
  const translated = translateRequest(client, protocolOf(to).upstream, target);
  if (!translated.ok) throw new Error(translated.error.message);
  return Buffer.from(JSON.stringify(translated.json));
}

/** The provider's response, which must not be a refusal. */
async function answer(to: ProtocolName, body: Buffer, isStream: boolean): Promise<Buffer> {
  const path = (to === 'gemini' ? '/v1beta' : '/v1') + protocolOf(to).upstream.path(MODELS[to], isStream);
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  const response = await fetch(simulator.url + path, { method: 'POST', headers, body: new Uint8Array(body) });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect({ status: response.status, text: bytes.toString(), body: body.toString() }).toMatchObject({ status: 200 });
  return bytes;
}

/** What the client got, as it keeps it. */
function received(
  client: ProtocolName,
  upstream: ProtocolName,
  bytes: Buffer,
  isStream: boolean,
): readonly JsonRecord[] {
  const final = finalUsage(undefined);
  if (isStream) {
    const stream = client === upstream ? bytes : transformStream(client, upstream, bytes, final);
    return collectedContent(client, eventsOf(stream));
  }
  const whole = client === upstream ? bytes : transformResponse(client, upstream, bytes, final).bytes;
  return contentOf(client, recordOr(JSON.parse(whole.toString())));
}

/** The signatures and encrypted reasoning in a provider's response. */
function signaturesIn(bytes: Buffer): string[] {
  const found = bytes.toString().matchAll(/"(?:signature|data|encrypted_content|thoughtSignature)":"([^"]+)"/g);
  return [...new Set([...found].flatMap(([, value = '']) => (value === '' ? [] : [value])))];
}

/** Clients of chat completions that return no reasoning. */
const WITHOUT_REASONING: readonly string[] = ['OpenAI Agents'];

/** A provider of the client's own protocol gets the turns as the client sends them, and reasoning stays where it is. */
function canReturn({ client, name, movesReasoning }: Rewrite, upstream: ProtocolName): boolean {
  if (movesReasoning) return upstream === 'gemini';
  return name !== 'a client with a turn for each block' || upstream !== client;
}

const CASES = REWRITES.flatMap((rewrite) =>
  PROTOCOL_NAMES.filter((upstream) => canReturn(rewrite, upstream)).map((upstream) => ({
    rewrite,
    upstream,
    name: rewrite.name,
  })),
);

async function checkTurn(rewrite: Rewrite, upstream: ProtocolName, step: Step): Promise<void> {
  const { client } = rewrite;
  const first = prompt(client, directive(step));
  const asked = request(client, [first], step.isStream);
  const bytes = await answer(upstream, sentBody(asked, client, upstream), step.isStream);
  const content = received(client, upstream, bytes, step.isStream);
  const turns = [first, ...rewrite.turns(content), ...results(client, content)];
  const body = sentBody(request(client, turns, false), client, upstream);
  await answer(upstream, body, false);
  const text = body.toString();
  const isLost = rewrite.losesRedacted && upstream === client && !step.isShown;
  if (!isLost) for (const signature of signaturesIn(bytes)) expect(text).toContain(signature);
  if (upstream === 'openai-chat' && step.isShown && !WITHOUT_REASONING.includes(rewrite.name)) {
    expect(text).toContain(JSON.stringify(THOUGHTS));
  }
}

describe.each(CASES)('$name ($rewrite.client) in front of $upstream', ({ rewrite, upstream }) => {
  it('returns reasoning and signatures so that a strict provider accepts them', async () => {
    await fc.assert(
      fc.asyncProperty(steps, (step) => checkTurn(rewrite, upstream, step)),
      { numRuns: 8 },
    );
  });
});
