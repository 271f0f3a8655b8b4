import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { request as anyRequest, type RequestSwitches } from '../../../testing/canonical/arbitrary.ts';
import { canonicalOf, encoded, unplaced } from '../../../testing/gemini/round-trip.ts';
import type { Message } from '../../canonical/message.ts';
import type { CanonicalRequest, Reasoning } from '../../canonical/request.ts';
import type { ModelParameters } from '../../interface/parameters.ts';

const HI: CanonicalRequest = {
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  tools: [],
  names: {},
};

/** What this protocol expresses exactly. */
const EXPRESSIBLE: RequestSwitches = {
  media: ['image-data', 'file-url', 'file-data', 'file-text', 'audio'],
  imageDetail: false,
  fileFacts: false,
  cacheHints: false,
  citations: false,
  refusals: false,
  origins: ['gemini'],
  unsignedReasoning: false,
  reasoningForms: ['summary'],
  silentReasoning: false,
  customTools: false,
  strict: false,
  resultParts: false,
  developer: false,
  lateInstructions: false,
  manyInstructions: false,
  participantNames: false,
  fields: [
    'maxOutputTokens',
    'temperature',
    'topP',
    'topK',
    'seed',
    'presencePenalty',
    'frequencyPenalty',
    'stop',
    'logprobs',
    'toolChoice',
  ],
};

/** The first call of a turn is the signed one, if its first call has no signature. */
function withSignedFirst(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const first = message.parts.findIndex(({ type }) => type === 'tool-call');
  const signed = message.parts.findIndex((part) => part.type === 'tool-call' && part.opaque !== undefined);
  const call = message.parts[signed];
  if (call === undefined || signed === first) return message;
  const parts = message.parts.filter((_, index) => index !== signed);
  return { ...message, parts: [...parts.slice(0, first), call, ...parts.slice(first)] };
}

describe('encodeRequest', () => {
  test('decodes to the same request if the protocol can express it, without a warning', () => {
    fc.assert(
      fc.property(anyRequest(EXPRESSIBLE), (request) => {
        const { body, warnings, refusals } = encoded(request, { parameters: { mediaInResults: true } });
        expect({ warnings, refusals }).toEqual({ warnings: [], refusals: [] });
        const { names: _names, ...read } = canonicalOf(body).request;
        const { names: _none, ...asked } = request;
        const messages = asked.messages.map(withSignedFirst);
        expect(unplaced(read)).toEqual(withNames({ ...asked, messages }));
      }),
    );
  });

  test('sends the signed one of parallel calls first, since Google signs and checks that one', () => {
    const call = { type: 'tool-call', name: 'f', kind: 'function', input: '{}' } as const;
    const opaque = { origin: 'gemini', data: 'c2ln' } as const;
    const calls = [
      { ...call, id: 'b' },
      { ...call, id: 'a', opaque },
    ];
    const results = calls.map(({ id }) => ({
      type: 'tool-result' as const,
      callId: id,
      kind: 'function' as const,
      parts: [],
      isError: false,
    }));
    const { body } = encoded(
      {
        messages: [
          { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
          { role: 'assistant', parts: calls },
          { role: 'tool', parts: results },
        ],
        tools: [],
        names: {},
      },
      { upstreamModel: 'gemini-3-pro' },
    );
    expect(body['contents']).toMatchObject([
      {},
      { parts: [{ functionCall: { id: 'a' }, thoughtSignature: 'c2ln' }, { functionCall: { id: 'b' } }] },
      {},
    ]);
    expect(JSON.stringify(body)).not.toContain('skip_thought_signature_validator');
  });

  test('never throws, and drops nothing silently', () => {
    fc.assert(
      fc.property(anyRequest({ placed: true }), (request) => {
        const { body, refusals } = encoded(request);
        if (refusals.length === 0) expect(canonicalOf(body).request.messages.length).toBeGreaterThan(0);
      }),
    );
  });

  test('moves all instructions to the beginning, with a warning for later ones', () => {
    const { body, warnings } = encoded({
      ...HI,
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'a' }] },
        ...HI.messages,
        { role: 'developer', parts: [{ type: 'text', text: 'b' }], at: 'messages[2]' },
      ],
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'a' }, { text: 'b' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    });
    expect(warnings).toEqual([
      'messages[2]: moved in front of the conversation, since this provider accepts instructions only there',
    ]);
  });

  test('sends the instructions as the user turn if there is nothing else', () => {
    const { body } = encoded({ ...HI, messages: [{ role: 'system', parts: [{ type: 'text', text: 'a' }] }] });
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'a' }] }] });
  });

  const TOOLS: CanonicalRequest = {
    ...HI,
    messages: [
      ...HI.messages,
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', id: 'a', name: 'f', kind: 'function', input: '{"n":1.0}' },
          { type: 'tool-call', id: 'b', name: 'g', kind: 'function', input: 'no JSON' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool-result', callId: 'a', kind: 'function', parts: [{ type: 'text', text: 'ok' }], isError: false },
          {
            type: 'tool-result',
            callId: 'b',
            kind: 'function',
            parts: [
              { type: 'text', text: 'bad' },
              { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' } },
            ],
            isError: true,
          },
        ],
      },
    ],
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, at: 'tools[0]' }],
  };

  test('encodes calls and results with their names, and signs the first call for models that require it', () => {
    const { body } = encoded(TOOLS, { parameters: { signedCalls: true, mediaInResults: true } });
    expect(JSON.parse(JSON.stringify(body['contents']))).toEqual([
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: 'a', name: 'f', args: { n: 1 } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
          { functionCall: { id: 'b', name: 'g', args: { INVALID_JSON: 'no JSON' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'f', response: { output: 'ok' } } },
          {
            functionResponse: {
              id: 'b',
              name: 'g',
              response: { error: 'bad' },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }],
            },
          },
        ],
      },
    ]);
    expect(JSON.stringify(body)).toContain('"args":{"n":1.0}');
  });

  test('puts media beside a result for models that accept none within', () => {
    const { body } = encoded(TOOLS, { upstreamModel: 'gemini-2.5-pro' });
    expect(body).toMatchObject({
      contents: [
        {},
        { parts: [{ functionCall: { id: 'a' } }, {}] },
        { parts: [{}, { functionResponse: { id: 'b' } }, { inlineData: { mimeType: 'image/png' } }] },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('thoughtSignature');
  });

  test('rejects a result without a call', () => {
    const messages = TOOLS.messages.filter((message) => message.role !== 'assistant');
    expect(encoded({ ...TOOLS, messages }).refusals).toEqual([
      'does not match a tool call of an earlier message',
      'does not match a tool call of an earlier message',
    ]);
  });

  test.each([
    [undefined, undefined],
    [{ type: 'auto' }, { mode: 'AUTO' }],
    [{ type: 'none' }, { mode: 'NONE' }],
    [{ type: 'required' }, { mode: 'ANY' }],
    [
      { type: 'tool', name: 'f' },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { type: 'allowed', mode: 'required', names: ['f'] },
      { mode: 'ANY', allowedFunctionNames: ['f'] },
    ],
    [
      { type: 'allowed', mode: 'auto', names: ['f'] },
      { mode: 'VALIDATED', allowedFunctionNames: ['f'] },
    ],
  ] as const)('encodes the tool choice %j', (toolChoice, calling) => {
    const { body } = encoded({ ...TOOLS, ...(toolChoice && { toolChoice }) });
    expect(body['toolConfig']).toEqual(calling && { functionCallingConfig: calling });
  });

  test('validates all calls if all tools are strict, and warns if only some are', () => {
    const strict = { type: 'function', name: 'g', strict: true, at: 'tools[1]' } as const;
    const { body } = encoded({ ...TOOLS, tools: [strict] });
    expect(body['toolConfig']).toEqual({ functionCallingConfig: { mode: 'VALIDATED' } });
    expect(encoded({ ...TOOLS, tools: [...TOOLS.tools, strict] }).warnings).toEqual([
      'tools[1]: not sent as strict, since this provider supports strict only for all tools or none',
    ]);
  });

  const LEVELS: ModelParameters = { thinking: { control: 'effort', canDisable: false } };
  const PRO: ModelParameters = { ...LEVELS, efforts: ['low', 'high'] };
  const BUDGET: ModelParameters = {
    thinking: { control: 'budget', minBudgetTokens: 128, maxBudgetTokens: 32_768, canDisable: false },
  };
  test.each<[ModelParameters, Reasoning, object, number]>([
    [LEVELS, { effort: 'low' }, { thinkingLevel: 'LOW' }, 0],
    [LEVELS, { effort: 'none' }, { thinkingLevel: 'MINIMAL' }, 1],
    [LEVELS, { effort: 'max', show: 'auto' }, { thinkingLevel: 'HIGH', includeThoughts: true }, 1],
    [LEVELS, { budgetTokens: 3_000, show: 'auto' }, { thinkingLevel: 'MEDIUM', includeThoughts: true }, 1],
    [LEVELS, { adaptive: true, show: 'auto' }, { includeThoughts: true }, 0],
    [PRO, { effort: 'minimal' }, { thinkingLevel: 'LOW' }, 1],
    [BUDGET, { effort: 'max' }, { thinkingBudget: 32_768 }, 1],
    [BUDGET, { budgetTokens: 50_000 }, { thinkingBudget: 32_768 }, 1],
    [BUDGET, { effort: 'none' }, { thinkingBudget: 128 }, 1],
    [{}, { effort: 'none', show: 'none' }, { thinkingBudget: 0, includeThoughts: false }, 0],
    [{}, { effort: 'none', show: 'auto' }, { thinkingBudget: 0, includeThoughts: false }, 0],
    [{}, { budgetTokens: 0, show: 'auto' }, { thinkingBudget: 0, includeThoughts: false }, 0],
    [{}, { effort: 'medium' }, { thinkingBudget: 8_192 }, 0],
    [{}, { effort: 'max' }, { thinkingBudget: 24_576 }, 1],
    [{}, { budgetTokens: 5 }, { thinkingBudget: 5 }, 0],
    [{}, { adaptive: true, show: 'detailed' }, { thinkingBudget: -1, includeThoughts: true }, 0],
  ])('a model that accepts %j gets the reasoning %j as %j', (parameters, reasoning, thinkingConfig, warned) => {
    const { body, warnings } = encoded({ ...HI, reasoning }, { upstreamModel: 'gemini-3-pro', parameters });
    expect(body['generationConfig']).toEqual({ thinkingConfig });
    expect(warnings).toHaveLength(warned);
  });

  test('sends a schema unchanged, and any JSON by its type', () => {
    const schema = { type: 'object', additionalProperties: false };
    expect(encoded({ ...HI, responseFormat: { type: 'json-schema', schema } }).body['generationConfig']).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
    expect(encoded({ ...HI, responseFormat: { type: 'json' } }).body['generationConfig']).toEqual({
      responseMimeType: 'application/json',
    });
    expect(encoded({ ...HI, responseFormat: { type: 'text' }, choices: 1 }).body['generationConfig']).toBeUndefined();
  });

  test('sends the image detail if it is the same for all images', () => {
    const image = (detail: 'low' | 'high') =>
      ({ type: 'image', source: { kind: 'url', url: 'https://x/a.png' }, detail, at: detail }) as const;
    const of = (...parts: ReturnType<typeof image>[]) => encoded({ ...HI, messages: [{ role: 'user', parts }] });
    expect(of(image('low'), image('low'))).toMatchObject({
      body: {
        generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
        contents: [{ parts: [{ fileData: { fileUri: 'https://x/a.png', mimeType: 'image/png' } }, {}] }],
      },
      warnings: [],
    });
    expect(of(image('low'), image('high')).warnings).toEqual([
      'low: its detail is left to the model, since this provider has one for all images',
    ]);
  });

  const names = (field: string) => ({ ...HI, names: { [field]: 'the_field' } });
  test.each<[Partial<CanonicalRequest>]>([
    [{ verbosity: 'low' }],
    [{ cacheKey: 'k' }],
    [{ cacheRetention: '24h' }],
    [{ cache: {} }],
    [{ metadata: { a: 'b' } }],
    [{ userId: 'u' }],
    [{ truncation: 'auto' }],
    [{ seed: 2 ** 40 }],
    [{ temperature: 3 }],
    [{ maxOutputTokens: 200_000 }],
    [{ parallelToolCalls: false, tools: [{ type: 'function', name: 'f' }] }],
  ])('warns of %j by the client’s name', (fields) => {
    const { warnings, refusals } = encoded({ ...names(Object.keys(fields)[0] ?? ''), ...fields });
    expect(refusals).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^the_field: /);
  });

  test.each<[Partial<CanonicalRequest>]>([[{ logitBias: { 1: 1 } }], [{ choices: 9 }], [{ logprobs: { top: 21 } }]])(
    'rejects %j by the client’s name',
    (fields) => {
      expect(encoded({ ...names(Object.keys(fields)[0] ?? ''), ...fields }).refusals[0]).toMatch(/^the_field: /);
    },
  );

  test('uses the limit that the balance allows', () => {
    expect(encoded({ ...HI, maxOutputTokens: 50 }, { outputTokens: 7 }).body['generationConfig']).toEqual({
      maxOutputTokens: 7,
    });
  });

  test('drops reasoning of others, and records where each part was placed', () => {
    const { body, warnings, places } = encoded({
      ...HI,
      messages: [
        {
          role: 'assistant',
          parts: [
            {
              type: 'reasoning',
              form: 'full',
              text: 'hm',
              opaque: { origin: 'anthropic-messages', data: 'x' },
              at: 'm[0].t',
            },
            { type: 'text', text: 'Ho', opaque: { origin: 'gemini', data: 'AA==' }, at: 'm[0].c' },
          ],
        },
        ...HI.messages,
      ],
      temperature: 1,
      names: { temperature: 'temperature' },
    });
    expect(body['contents']).toEqual([
      { role: 'model', parts: [{ text: 'Ho', thoughtSignature: 'AA==' }] },
      { role: 'user', parts: [{ text: 'Hi' }] },
    ]);
    expect(warnings).toEqual(["m[0].t: reasoning of another provider is not passed on to this model's provider"]);
    expect(places.get('contents[0].parts[0]')).toBe('m[0].c');
    expect(places.get('generationConfig.temperature')).toBe('temperature');
  });
});

/** A client names a result's function, and Google has one setting for a required tool and a list of one. */
function withNames(request: object): unknown {
  const names = new Map<string, string>();
  return JSON.parse(JSON.stringify(request), (_key, value) => {
    if (value?.type === 'tool-call') names.set(value.id, value.name);
    if (value?.type === 'tool-result') return { ...value, name: names.get(value.callId) };
    const isOne = value?.type === 'allowed' && value.mode === 'required' && value.names.length === 1;
    return isOne ? { type: 'tool', name: value.names[0] } : value;
  });
}
