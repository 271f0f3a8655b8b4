import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf } from '@tollgate/test-support/gateway/billing';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, say } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const SETTLED = { timeout: 30_000, interval: 50 };
const STOPS = ['\nObservation:', 'never'];
const BEFORE = 'Thought: I look it up.';
/** Sent by the simulated provider, which has no stop words in any of these calls, word by word. */
const TEXT = `${BEFORE}\nObservation: ${'made up '.repeat(200)}`;

const TEXT_TOKENS = 409;

let gateway: Gateway;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
});

/** What a client has of a response. */
interface Got {
  text: string;
  /** How its protocol says that the response ended. */
  finish: unknown;
}

interface Client {
  name: string;
  /** For the stop word. */
  finish: unknown;
  ask: (account: Account, model: string, prompt: string) => Promise<Got>;
  stream: (account: Account, model: string, prompt: string) => Promise<Got>;
}

const CLIENTS: readonly Client[] = [
  {
    name: 'openai',
    finish: 'stop',
    ask: async ({ key }, model, prompt) => {
      const { choices } = await gateway
        .openai(key)
        .chat.completions.create({ model, messages: say(prompt), stop: STOPS });
      return { text: choices[0]?.message.content ?? '', finish: choices[0]?.finish_reason };
    },
    stream: async ({ key }, model, prompt) => {
      const got: Got = { text: '', finish: undefined };
      const stream = await gateway
        .openai(key)
        .chat.completions.create({ model, messages: say(prompt), stop: STOPS, stream: true });
      for await (const { choices } of stream) {
        got.text += choices[0]?.delta.content ?? '';
        got.finish ??= choices[0]?.finish_reason ?? undefined;
      }
      return got;
    },
  },
  {
    name: '@anthropic-ai/sdk',
    finish: ['stop_sequence', '\nObservation:'],
    ask: async (account, model, prompt) =>
      messageOf(
        await anthropic(account).messages.create({
          model,
          messages: say(prompt),
          max_tokens: 8_000,
          stop_sequences: STOPS,
        }),
      ),
    stream: async (account, model, prompt) =>
      messageOf(
        await anthropic(account)
          .messages.stream({ model, messages: say(prompt), max_tokens: 8_000, stop_sequences: STOPS })
          .finalMessage(),
      ),
  },
  {
    name: '@google/genai',
    finish: 'STOP',
    ask: async (account, model, prompt) => {
      const response = await google(account).models.generateContent({
        model,
        contents: prompt,
        config: { stopSequences: STOPS },
      });
      return { text: response.text ?? '', finish: response.candidates?.[0]?.finishReason };
    },
    stream: async (account, model, prompt) => {
      const got: Got = { text: '', finish: undefined };
      const stream = await google(account).models.generateContentStream({
        model,
        contents: prompt,
        config: { stopSequences: STOPS },
      });
      for await (const chunk of stream) {
        got.text += chunk.text ?? '';
        got.finish ??= chunk.candidates?.[0]?.finishReason;
      }
      return got;
    },
  },
];

function anthropic({ key }: Account): Anthropic {
  return new Anthropic({ apiKey: key, baseURL: gateway.baseUrl, maxRetries: 0 });
}

function google({ key }: Account): GoogleGenAI {
  return new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.baseUrl } });
}

function messageOf({ content, stop_reason, stop_sequence }: Anthropic.Message): Got {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    finish: [stop_reason, stop_sequence],
  };
}

async function onlyRecord(account: Account): Promise<unknown> {
  await expect.poll(async () => (await allRecords(gateway, account)).length, SETTLED).toBe(1);
  const [record] = await allRecords(gateway, account);
  return record;
}

function upstreamCall(mark: string) {
  return gateway.simulator.recorder.list().find((call) => call.body?.includes(mark));
}

describe.each(CLIENTS)('stop words of $name', ({ name, finish, ask, stream }) => {
  it.each(['via-openai-responses', 'without-stops'])(
    'end a response of %s, which is charged as reported',
    async (model) => {
      const account = await gateway.accounts.create(BALANCE);
      const mark = `${name} ask ${model}`;
      const got = await ask(account, model, directed(mark, { text: TEXT }));
      expect(got).toEqual({ text: BEFORE, finish });
      expect(upstreamCall(mark)?.body).not.toContain('never');
      const record = await onlyRecord(account);
      expect(record).toMatchObject({ status: 'completed', usage_estimated: false, usage: { output: TEXT_TOKENS } });
      expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
    },
  );

  it.each(['via-openai-responses', 'without-stops'])(
    'end a stream of %s and the call to the provider',
    async (model) => {
      const account = await gateway.accounts.create(BALANCE);
      const mark = `${name} stream ${model}`;
      const controls = { text: TEXT, token_delay_ms: 5 };
      expect(await stream(account, model, directed(mark, controls))).toEqual({ text: BEFORE, finish });
      const record = await onlyRecord(account);
      expect(record).toMatchObject({ status: 'completed', usage_estimated: true });
      // What the provider generated until then, and not what it would have generated.
      expect(at(record, 'usage', 'output')).toBeGreaterThan(5);
      expect(at(record, 'usage', 'output')).toBeLessThan(200);
      await expect.poll(() => upstreamCall(mark)?.state, SETTLED).toBe('aborted');
      expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
    },
  );

  it('end a stream of a model that is billed to its end, which is read for its usage', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const mark = `${name} drained`;
    const got = await stream(account, 'drained-responses', directed(mark, { text: TEXT }));
    expect(got).toEqual({ text: BEFORE, finish });
    const record = await onlyRecord(account);
    expect(record).toMatchObject({ status: 'completed', usage_estimated: false, usage: { output: TEXT_TOKENS } });
    expect(upstreamCall(mark)?.state).toBe('finished');
  });

  it('end a stream whose provider breaks off after them', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const controls = { text: TEXT, reset_after_events: 100 };
    const got = await stream(account, 'drained-responses', directed(`${name} breaks`, controls));
    expect(got).toEqual({ text: BEFORE, finish });
    expect(await onlyRecord(account)).toMatchObject({ status: 'completed', usage_estimated: true });
  });
});
