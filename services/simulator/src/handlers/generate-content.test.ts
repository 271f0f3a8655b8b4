import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, callStream, dataOf } from '../../testing/call.ts';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const USER = { role: 'user', parts: [{ text: 'Hello' }] };
const HELLO = { contents: [USER] };
const TOOLS = { tools: [{ functionDeclarations: [{ name: 'weather' }, { name: 'time' }] }] };
const THOUGHTS = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

function ask(fields: object, method = 'generateContent') {
  return call(`${simulator.url}/v1beta/models/m:${method}`, { ...HELLO, ...fields });
}

function askStream(fields: object) {
  return callStream(`${simulator.url}/v1beta/models/m:streamGenerateContent?alt=sse`, { ...HELLO, ...fields });
}

describe('buffered responses', () => {
  it('are marked as simulated', async () => {
    expect((await ask({})).json).toEqual({
      candidates: [
        {
          content: { parts: [{ text: 'This is a simulated answer: no model was called.' }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      usageMetadata: {
        promptTokenCount: 9,
        candidatesTokenCount: 9,
        totalTokenCount: 18,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 9 }],
        serviceTier: 'standard',
      },
      modelVersion: 'm',
      responseId: expect.stringMatching(/^sim/),
    });
  });

  it.each([
    [{ generationConfig: { maxOutputTokens: 3 } }, 'MAX_TOKENS'],
    [{ generationConfig: { stopSequences: ['answer'] } }, 'STOP'],
    [{ simulate: { refusal: 'No' } }, 'SAFETY'],
    [{ simulate: { finish_reason: 'malformed_call' } }, 'MALFORMED_FUNCTION_CALL'],
    [{ simulate: { finish_reason: 'recitation' } }, 'RECITATION'],
  ])('end for a reason: %j', async (fields, reason) => {
    expect(at((await ask(fields)).json, 'candidates', 0, 'finishReason')).toBe(reason);
  });

  it('have no candidates when the prompt is blocked', async () => {
    const { json } = await ask({ simulate: { prompt_blocked: true } });
    expect(json).toMatchObject({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { totalTokenCount: 9 } });
    expect(json).not.toHaveProperty('candidates');
  });

  it('have as many candidates as requested, with log probabilities', async () => {
    const generationConfig = { candidateCount: 2, responseLogprobs: true, logprobs: 2 };
    const { json } = await ask({ generationConfig, simulate: { output_tokens: 3 } });
    expect(at(json, 'candidates', 1, 'index')).toBe(1);
    expect(at(json, 'candidates', 0, 'logprobsResult', 'chosenCandidates')).toHaveLength(3);
    expect(at(json, 'candidates', 0, 'logprobsResult', 'topCandidates', 0, 'candidates')).toHaveLength(2);
    expect(at(json, 'usageMetadata', 'candidatesTokenCount')).toBe(6);
  });

  it('have grounding with positions in bytes', async () => {
    const simulate = { text: 'Grün: Ulm', citations: [{ url: 'https://a.example', start: 6 }] };
    expect(at((await ask({ simulate })).json, 'candidates', 0, 'groundingMetadata', 'groundingSupports')).toEqual([
      { segment: { startIndex: 7, endIndex: 10, text: 'Ulm' }, groundingChunkIndices: [0] },
    ]);
  });

  it('count thoughts separately, shown or not', async () => {
    const simulate = { reasoning: 'Hm, let me see', output_tokens: 2 };
    const hidden = (await ask({ simulate })).json;
    const shown = (await ask({ simulate, ...THOUGHTS })).json;
    expect(at(hidden, 'candidates', 0, 'content', 'parts')).toEqual([
      { text: 'This is', thoughtSignature: expect.any(String) },
    ]);
    expect(at(shown, 'candidates', 0, 'content', 'parts', 0)).toEqual({ text: 'Hm, let me see', thought: true });
    for (const json of [hidden, shown]) {
      expect(at(json, 'usageMetadata')).toMatchObject({ thoughtsTokenCount: 4, candidatesTokenCount: 2 });
    }
  });

  it('accept names in both cases', async () => {
    const fields = { system_instruction: { parts: [{ text: 'Be kind' }] }, generation_config: { top_k: 3 } };
    const { json } = await ask({ ...fields, simulate: { echo: true } });
    expect(JSON.parse(String(at(json, 'candidates', 0, 'content', 'parts', 0, 'text')))).toMatchObject({
      protocol: 'gemini',
      system: ['Be kind'],
      settings: { topK: 3 },
    });
  });
});

describe('streams', () => {
  const simulate = { text: 'One two', tool_calls: [{ name: 'weather', arguments: '{"city":"Ulm"}' }] };

  it('report the counts so far in each event, and the finish reason in the last', async () => {
    const data = dataOf(await askStream({ ...TOOLS, simulate }));
    expect(data.map((event) => at(event, 'usageMetadata', 'candidatesTokenCount'))).toEqual([1, 2, 6, 6]);
    expect(data.map((event) => at(event, 'candidates', 0, 'finishReason'))).toEqual([
      undefined,
      undefined,
      undefined,
      'STOP',
    ]);
    expect(at(data[2], 'candidates', 0, 'content', 'parts', 0, 'functionCall')).toEqual({
      name: 'weather',
      args: { city: 'Ulm' },
    });
  });

  it('are one JSON array unless server-sent events are requested', async () => {
    const response = await fetch(`${simulator.url}/v1beta/models/m:streamGenerateContent`, {
      method: 'POST',
      body: JSON.stringify({ ...HELLO, ...TOOLS, simulate }),
    });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual(dataOf(await askStream({ ...TOOLS, simulate })));
  });

  it('fail in the requested format', async () => {
    const failing = dataOf(await askStream({ simulate: { error_after_events: 2 } }));
    expect(failing.at(-1)).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
    const array = await ask({ simulate: { error_after_events: 2 } }, 'streamGenerateContent');
    expect(array.json).toMatchObject([{}, {}, { error: { code: 503 } }]);
    expect((await ask({ simulate: { fail: 429 } }, 'streamGenerateContent')).json).toMatchObject([
      { error: { code: 429 } },
    ]);
  });

  it.each([
    ['omit', [undefined, undefined, undefined]],
    ['with_finish', [undefined, undefined, 11]],
    ['zero', [0, 0, 0]],
    ['late', [undefined, undefined, undefined, 11]],
  ])('report usage as asked: %s', async (usage, expected) => {
    const data = dataOf(await askStream({ simulate: { output_tokens: 2, usage, usage_delay_ms: 1 } }));
    expect(data.map((event) => at(event, 'usageMetadata', 'totalTokenCount'))).toEqual(expected);
  });
});

describe('the next turn', () => {
  async function answerParts() {
    const simulate = { reasoning: 'Hm', tool_calls: [{ name: 'weather' }, { name: 'time' }] };
    const parts = at((await ask({ ...TOOLS, simulate })).json, 'candidates', 0, 'content', 'parts');
    if (!Array.isArray(parts)) throw new Error('no parts');
    return parts;
  }

  function secondTurn(parts: unknown[], names: string[]) {
    const responses = names.map((name) => ({ functionResponse: { name, response: { output: 'x' } } }));
    return ask({ ...TOOLS, contents: [USER, { role: 'model', parts }, { role: 'user', parts: responses }] });
  }

  it('accepts calls with their signature, and results by name', async () => {
    const parts = await answerParts();
    expect(parts).toEqual([
      { functionCall: { name: 'weather', args: {} }, thoughtSignature: expect.any(String) },
      { functionCall: { name: 'time', args: {} } },
    ]);
    expect((await secondTurn(parts, ['time', 'weather'])).status).toBe(200);
  });

  it.each([
    ['a missing result', ['weather'], /number of function response parts/],
    ['a result of another name', ['weather', 'other'], /names of the function response/],
  ])('refuses %s', async (_, names, message) => {
    const { status, json } = await secondTurn(await answerParts(), names);
    expect(status).toBe(400);
    expect(at(json, 'error', 'message')).toMatch(message);
  });

  it('rejects a foreign signature, and accepts the placeholder for none', async () => {
    const [first, ...others] = await answerParts();
    const signed = (thoughtSignature: string) => [{ ...first, thoughtSignature }, ...others];
    expect((await secondTurn(signed('c2lnbmF0dXJl'), ['time', 'weather'])).status).toBe(400);
    expect((await secondTurn(signed('skip_thought_signature_validator'), ['time', 'weather'])).status).toBe(200);
  });
});

describe('rejections', () => {
  function declared(parameters: object) {
    return { tools: [{ functionDeclarations: [{ name: 'f', parameters }] }] };
  }

  it.each([
    ['an unknown name', { foo: 1 }, /Unknown name "foo": Cannot find field/],
    ['another role', { contents: [{ role: 'assistant', parts: [{ text: 'a' }] }] }, /valid role/],
    ['no parts', { contents: [{ parts: [] }] }, /must not be empty/],
    ['a part of nothing', { contents: [{ parts: [{ thought: true }] }] }, /oneof/],
    [
      'a part of two',
      { contents: [{ parts: [{ text: 'a', inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }] },
      /oneof/,
    ],
    ['a result without a name', { contents: [{ parts: [{ functionResponse: { response: {} } }] }] }, /name/],
    [
      'a result without its call',
      { contents: [{ parts: [{ functionResponse: { name: 'a', response: {} } }] }] },
      /function call turn/,
    ],
    [
      'a call without its result',
      { contents: [USER, { role: 'model', parts: [{ functionCall: { name: 'a' } }] }] },
      /number of/,
    ],
    ['a temperature over 2', { generationConfig: { temperature: 2.5 } }, /temperature/],
    ['six stop sequences', { generationConfig: { stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] } }, /stopSequences/],
    [
      'a budget beside a level',
      { generationConfig: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: 'LOW' } } },
      /only one/,
    ],
    ['a schema without its type', { generationConfig: { responseSchema: { type: 'STRING' } } }, /mime type/],
    ['JSON Schema in place of its own', declared({ type: 'OBJECT', $defs: {} }), /Unknown name "\$defs"/],
    ['an object without properties', declared({ type: 'OBJECT' }), /non-empty for OBJECT/],
    [
      'an array without items',
      declared({ type: 'OBJECT', properties: { a: { type: 'ARRAY' } } }),
      /items: missing field/,
    ],
    [
      'an enum of numbers',
      declared({ type: 'OBJECT', properties: { a: { type: 'INTEGER', enum: ['1'] } } }),
      /only allowed for STRING/,
    ],
    [
      'a format that it does not know',
      declared({ type: 'OBJECT', properties: { a: { type: 'STRING', format: 'uri' } } }),
      /date-time/,
    ],
    [
      'an allow-list for the mode AUTO',
      { ...TOOLS, toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['time'] } } },
      /allowed_function_names/,
    ],
    ['stored content', { cachedContent: 'cachedContents/1' }, /CachedContent not found/],
    ['a stored file', { contents: [{ parts: [{ fileData: { fileUri: 'files/abc' } }] }] }, /permission/],
    ['an unknown control', { simulate: { colour: 1 } }, /colour/],
  ])('%s', async (_, fields, message) => {
    const { status, json } = await ask(fields);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringMatching(message) },
    });
  });
});

it('counts tokens like the response, for contents or a complete request', async () => {
  expect((await ask({}, 'countTokens')).json).toMatchObject({ totalTokens: 9 });
  const full = { generateContentRequest: { ...HELLO, systemInstruction: { parts: [{ text: 'Be kind.' }] } } };
  const counted = await call(`${simulator.url}/v1beta/models/m:countTokens`, full);
  expect(counted.json).toMatchObject({ totalTokens: 11 });
});

it('counts a tool result without its call', async () => {
  const result = { functionResponse: { name: 'f', response: { output: 'done' } } };
  const contents = [{ role: 'user', parts: [result] }];
  expect((await ask({ contents }, 'countTokens')).status).toBe(200);
  expect((await ask({ contents })).status).toBe(400);
});
