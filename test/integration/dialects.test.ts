import Anthropic from '@anthropic-ai/sdk';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { DIALECT_NAMES, DIALECTS, DISTANCES, type DialectName } from '@tollgate/test-support/gateway/dialects';
import { type Gateway, say } from '@tollgate/test-support/gateway/gateway';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import OpenAI from 'openai';
import { describe, expect, it, vi } from 'vitest';
import { THOUGHT, TOOL_LOOPS } from './support/dialect-tool-loops.ts';
import { withGateway } from './support/shared-gateway.ts';

const CREDIT = 100_000_000_000n;
/** Nano-dollars per token of the models of these tests. */
const INPUT_RATE = 150n;
const OUTPUT_RATE = 600n;

let gateway: Gateway;
let account: Account;
let access: { baseUrl: string; key: string };

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(CREDIT);
  access = { baseUrl: gateway.baseUrl, key: account.key };
});

/** The bodies that the provider accepted, in their order. */
function accepted(traceIds: readonly string[]): unknown[] {
  return traceIds.map((traceId) => {
    const [call] = gateway.simulator.recorder.list(traceId);
    expect({ status: call?.status, body: call?.body }).toMatchObject({ status: 200 });
    return JSON.parse(call?.body ?? 'null');
  });
}

/** The earlier assistant message of a request. */
function earlier(body: unknown): unknown {
  return listAt(body, 'messages').find((message) => at(message, 'role') === 'assistant');
}

/** The text of the reasoning that the message has in each place. */
function reasoningPlaces(message: unknown): Record<string, unknown> {
  const [part] = Array.isArray(at(message, 'content')) ? listAt(message, 'content') : [];
  const details = at(message, 'reasoning_details');
  const places = {
    reasoning_content: at(message, 'reasoning_content'),
    reasoning: at(message, 'reasoning'),
    reasoning_details: Array.isArray(details)
      ? details.map((detail: unknown) => at(detail, 'text')).join('')
      : undefined,
    thinking_parts: at(part, 'type') === 'thinking' ? at(part, 'thinking', 0, 'text') : undefined,
  };
  return Object.fromEntries(Object.entries(places).filter(([, text]) => text !== undefined && text !== ''));
}

const WITH_TOOLS = DIALECT_NAMES.filter((name) => name !== 'perplexity');

describe.each(WITH_TOOLS)('a provider that is as strict as that of the dialect %s', (dialect) => {
  const costs = new Map<string, bigint>();

  it.each(TOOL_LOOPS)('takes a tool loop of $protocol with its reasoning', async ({ protocol, run }) => {
    const { requestIds, traceIds, text } = await run(access, `dialect-${dialect}`);
    expect(text).toBe('It says hello.');
    const [, second] = accepted(traceIds);
    const place = DIALECTS[dialect];
    expect(reasoningPlaces(earlier(second))).toEqual(place === 'none' ? {} : { [place]: THOUGHT });
    const records = await Promise.all(requestIds.map((id) => recordOf(gateway, account, id)));
    for (const record of records) expect(at(record, 'usage_estimated')).not.toBe(true);
    costs.set(
      protocol,
      records.reduce((sum: bigint, record) => sum + costOf(record), 0n),
    );
    // The same conversation costs the same, whatever the client's protocol.
    expect(costs.get(protocol)).toBe(costs.get('openai-chat'));
  });

  it('charges what the provider reports', async () => {
    const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const { data, response } = await client.chat.completions
      .create({ model: `dialect-${dialect}`, messages: say('Hello'), max_tokens: 50 })
      .withResponse();
    const record = await recordOf(gateway, account, response.headers.get('x-request-id'));
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = data.usage ?? {};
    expect(costOf(record)).toBe(BigInt(input) * INPUT_RATE + BigInt(output) * OUTPUT_RATE);
    expect(output).toBeGreaterThan(0);
  });

  it('streams with its usage, though not every provider is asked for it alike', async () => {
    const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const { data, response } = await client.chat.completions
      .create({ model: `dialect-${dialect}`, messages: say('Hello [simulate {"usage":"with_finish"}]'), stream: true })
      .withResponse();
    let text = '';
    for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).not.toBe('');
    const record = await recordOf(gateway, account, response.headers.get('x-request-id'));
    expect(at(record, 'usage_estimated')).not.toBe(true);
  });
});

describe('perplexity', () => {
  it('takes a conversation whose roles repeat, and instructions from its middle', async () => {
    const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const { response } = await client.chat.completions
      .create({
        model: 'dialect-perplexity',
        max_completion_tokens: 50,
        messages: [...say('One'), ...say('Two'), { role: 'developer', content: 'Be brief.' }],
      })
      .withResponse();
    const [body] = accepted([String(response.headers.get('x-trace-id')).replaceAll('-', '')]);
    expect(body).toMatchObject({
      max_tokens: 50,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'One\n\nTwo' },
      ],
    });
    expect(response.headers.get('x-tollgate-warnings')).toContain('messages[2]: moved to the beginning');
  });

  it.each(TOOL_LOOPS)('refuses tools of $protocol by name', async ({ run }) => {
    await expect(run(access, 'dialect-perplexity')).rejects.toThrow(/tools/);
  });
});

describe('a field without which the response would be another', () => {
  it('is refused by name before the provider is called', async () => {
    const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const ask = client.chat.completions.create({ model: 'dialect-groq', messages: say('Hello'), n: 2 });
    await expect(ask).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("n: this model's provider"),
    });
  });
});

const WRONG = DIALECT_NAMES.flatMap((name) => DISTANCES.map((distance) => [name, distance] as const));

describe('a wrong dialect', () => {
  it.each(WRONG)(
    'at a provider such as %s (%i further) ends in a clear error or a right bill',
    async (name, distance) => {
      const own = await gateway.accounts.create(CREDIT);
      const [chat] = TOOL_LOOPS;
      const [, , messages] = TOOL_LOOPS;
      const outcomes = await Promise.allSettled(
        [chat, messages].map((loop) =>
          loop?.run({ baseUrl: gateway.baseUrl, key: own.key }, `wrong-${name}-${distance}`),
        ),
      );
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(explained(outcome.reason)).toMatch(/\S/);
        else expect(outcome.value?.text).toBe('It says hello.');
      }
      // Every charge follows the usage that the provider reported, and nothing else was taken, once all is settled.
      await vi.waitFor(
        async () => {
          let charged = 0n;
          for (const record of await allRecords(gateway, own)) {
            const [input, output] = tokensOf(record);
            expect(costOf(record)).toBe(input * INPUT_RATE + output * OUTPUT_RATE);
            charged += costOf(record);
          }
          expect(await balanceOf(gateway, own)).toBe(CREDIT - charged);
        },
        { timeout: 20_000 },
      );
    },
  );
});

/** The provider's words in a refusal with 400. */
function explained(reason: unknown): string {
  const isRefusal = reason instanceof OpenAI.APIError || reason instanceof Anthropic.APIError;
  if (!isRefusal || reason.status !== 400) throw reason;
  return reason.message;
}

function tokensOf(record: unknown): readonly [bigint, bigint] {
  const count = (bucket: string) => BigInt(String(at(record, 'usage', bucket) ?? 0));
  return [count('input'), count('output') + count('reasoning')];
}

describe('a native endpoint', () => {
  const deploymentOf = async (ask: Promise<Headers>) => {
    const headers = await ask;
    const [call] = gateway.simulator.recorder.list(String(headers.get('x-trace-id')).replaceAll('-', ''));
    return call?.path;
  };

  it('serves the clients of its protocol alone, and the chat endpoint all others', async () => {
    const anthropic = new Anthropic({ apiKey: account.key, baseURL: gateway.baseUrl, maxRetries: 0 });
    const openai = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    for (let i = 0; i < 5; i++) {
      const messages = say(`Hello ${i}`);
      const native = anthropic.messages.create({ model: 'native', max_tokens: 100, messages }).withResponse();
      expect(await deploymentOf(native.then(({ response }) => response.headers))).toBe('/v1/messages');
      const chat = openai.chat.completions.create({ model: 'native', messages }).withResponse();
      expect(await deploymentOf(chat.then(({ response }) => response.headers))).toBe('/v1/chat/completions');
      const items = openai.responses.create({ model: 'native', input: `Hello ${i}` }).withResponse();
      expect(await deploymentOf(items.then(({ response }) => response.headers))).toBe('/v1/chat/completions');
    }
  });
});

it('has a test for every dialect of the table', async () => {
  const { DIALECT_NAMES: known } = await import('@tollgate/router/dialects/index');
  const tested: readonly DialectName[] = DIALECT_NAMES;
  expect(known.toSorted()).toEqual(tested.toSorted());
});
