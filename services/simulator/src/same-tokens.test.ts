import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ANTHROPIC_HEADERS, at, call } from '../testing/call.ts';
import { type Simulator, startSimulator } from '../testing/start-simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

/** A conversation: instructions, then rounds of a question, tool calls with results, and a response. */
interface Talk {
  system: string | undefined;
  rounds: { question: string; picture: boolean; calls: { city: string; result: string }[]; response: string }[];
  last: string;
}

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => `w${text}w`);
const talks: fc.Arbitrary<Talk> = fc.record({
  system: fc.option(words, { nil: undefined }),
  rounds: fc.array(
    fc.record({
      question: words,
      picture: fc.boolean(),
      calls: fc.array(fc.record({ city: words, result: words }), { maxLength: 2 }),
      response: words,
    }),
    { maxLength: 3 },
  ),
  last: words,
});

const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const URL = 'https://pictures.example/a.png';
const LIMIT = 2_000;
const SIMULATE = { reasoning: 'Let me think about it', text: 'Hello, 世界!', cached_tokens: 3 };

function id(round: number, call: number): string {
  return `call_${round}_${call}`;
}

function args(city: string): string {
  return JSON.stringify({ city });
}

function chatBody({ system, rounds, last }: Talk) {
  const messages: object[] = system === undefined ? [] : [{ role: 'system', content: system }];
  for (const [index, { question, picture, calls, response }] of rounds.entries()) {
    const image = picture ? [{ type: 'image_url', image_url: { url: URL } }] : [];
    messages.push({ role: 'user', content: [{ type: 'text', text: question }, ...image] });
    if (calls.length > 0) {
      const made = calls.map(({ city }, at) => ({
        id: id(index, at),
        type: 'function',
        function: { name: 'weather', arguments: args(city) },
      }));
      messages.push({ role: 'assistant', tool_calls: made });
    }
    for (const [at, { result }] of calls.entries()) {
      messages.push({ role: 'tool', tool_call_id: id(index, at), content: result });
    }
    messages.push({ role: 'assistant', content: response });
  }
  messages.push({ role: 'user', content: last });
  const tools = [{ type: 'function', function: { name: 'weather', description: 'Asks', parameters: SCHEMA } }];
  return { model: 'm', messages, tools, max_completion_tokens: LIMIT, simulate: SIMULATE };
}

function responsesBody({ system, rounds, last }: Talk) {
  const input: object[] = [];
  for (const [index, { question, picture, calls, response }] of rounds.entries()) {
    const image = picture ? [{ type: 'input_image', image_url: URL }] : [];
    input.push({ role: 'user', content: [{ type: 'input_text', text: question }, ...image] });
    for (const [at, { city }] of calls.entries()) {
      input.push({ type: 'function_call', call_id: id(index, at), name: 'weather', arguments: args(city) });
    }
    for (const [at, { result }] of calls.entries()) {
      input.push({ type: 'function_call_output', call_id: id(index, at), output: result });
    }
    input.push({ role: 'assistant', content: response });
  }
  input.push({ role: 'user', content: last });
  const tools = [{ type: 'function', name: 'weather', description: 'Asks', parameters: SCHEMA }];
  return { model: 'm', instructions: system, input, tools, max_output_tokens: LIMIT, simulate: SIMULATE };
}

function messagesBody({ system, rounds, last }: Talk) {
  const messages: object[] = [];
  for (const [index, { question, picture, calls, response }] of rounds.entries()) {
    const image = picture ? [{ type: 'image', source: { type: 'url', url: URL } }] : [];
    messages.push({ role: 'user', content: [{ type: 'text', text: question }, ...image] });
    if (calls.length > 0) {
      const made = calls.map(({ city }, at) => ({
        type: 'tool_use',
        id: id(index, at),
        name: 'weather',
        input: { city },
      }));
      const results = calls.map(({ result }, at) => ({
        type: 'tool_result',
        tool_use_id: id(index, at),
        content: result,
      }));
      messages.push({ role: 'assistant', content: made }, { role: 'user', content: results });
    }
    messages.push({ role: 'assistant', content: response });
  }
  messages.push({ role: 'user', content: last });
  const tools = [{ name: 'weather', description: 'Asks', input_schema: SCHEMA }];
  return { model: 'm', system, messages, tools, max_tokens: LIMIT, simulate: SIMULATE };
}

function geminiBody({ system, rounds, last }: Talk) {
  const contents: object[] = [];
  for (const { question, picture, calls, response } of rounds) {
    const image = picture ? [{ fileData: { fileUri: URL, mimeType: 'image/png' } }] : [];
    contents.push({ role: 'user', parts: [{ text: question }, ...image] });
    if (calls.length > 0) {
      const made = calls.map(({ city }) => ({ functionCall: { name: 'weather', args: { city } } }));
      const results = calls.map(({ result }) => ({
        functionResponse: { name: 'weather', response: { output: result } },
      }));
      contents.push({ role: 'model', parts: made }, { role: 'user', parts: results });
    }
    contents.push({ role: 'model', parts: [{ text: response }] });
  }
  contents.push({ role: 'user', parts: [{ text: last }] });
  const declarations = [{ name: 'weather', description: 'Asks', parametersJsonSchema: SCHEMA }];
  return {
    contents,
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    tools: [{ functionDeclarations: declarations }],
    generationConfig: { maxOutputTokens: LIMIT },
    simulate: SIMULATE,
  };
}

async function usageOf(path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const { status, json } = await call(simulator.url + path, body, headers);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return at(json, 'usage') ?? at(json, 'usageMetadata');
}

it('the same conversation has the same count in each protocol', async () => {
  await fc.assert(
    fc.asyncProperty(talks, async (talk) => {
      const chat = await usageOf('/v1/chat/completions', chatBody(talk));
      const input = Number(at(chat, 'prompt_tokens'));
      const output = Number(at(chat, 'completion_tokens'));
      const reasoning = Number(at(chat, 'completion_tokens_details', 'reasoning_tokens'));
      expect(reasoning).toBe(6);
      expect(await usageOf('/v1/responses', responsesBody(talk))).toMatchObject({
        input_tokens: input,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: reasoning },
      });
      expect(await usageOf('/v1/messages', messagesBody(talk), ANTHROPIC_HEADERS)).toMatchObject({
        input_tokens: input - 3,
        cache_read_input_tokens: 3,
        output_tokens: output,
        output_tokens_details: { thinking_tokens: reasoning },
      });
      expect(await usageOf('/v1beta/models/m:generateContent', geminiBody(talk))).toMatchObject({
        promptTokenCount: input,
        cachedContentTokenCount: 3,
        candidatesTokenCount: output - reasoning,
        thoughtsTokenCount: reasoning,
      });
    }),
    { numRuns: 40 },
  );
});

it('a text document counts as its text in each protocol', async () => {
  const data = Buffer.from('Twelve bytes').toString('base64');
  const url = `data:text/plain;base64,${data}`;
  const chat = { type: 'file', file: { filename: 'a.txt', file_data: url } };
  const responses = { type: 'input_file', filename: 'a.txt', file_data: url };
  const messages = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Twelve bytes' } };
  const said = (part: object) => [{ role: 'user', content: [part] }];
  const counts = await Promise.all([
    usageOf('/v1/chat/completions', { model: 'm', messages: said(chat) }),
    usageOf('/v1/responses', { model: 'm', input: said(responses) }),
    usageOf('/v1/messages', { model: 'm', max_tokens: 99, messages: said(messages) }, ANTHROPIC_HEADERS),
    usageOf('/v1beta/models/m:generateContent', {
      contents: [{ parts: [{ inlineData: { mimeType: 'text/plain', data } }] }],
    }),
  ]);
  const fields = ['prompt_tokens', 'input_tokens', 'input_tokens', 'promptTokenCount'];
  expect(counts.map((count, index) => at(count, fields[index] ?? ''))).toEqual([10, 10, 10, 10]);
});
