import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalOf, clientRequest, unplaced } from '../../../testing/gemini/round-trip.ts';
import { wrapOpaque } from '../../canonical/opaque.ts';
import { runToEnd } from '../../lists/stages.ts';

const HI = { role: 'user', parts: [{ text: 'hi' }] };

function messagesOf(contents: unknown) {
  return unplaced(canonicalOf({ contents }).request.messages);
}

function settings(generationConfig: object) {
  const { request, warnings } = canonicalOf({ contents: [HI], generationConfig });
  const { messages: _messages, tools: _tools, ...fields } = request;
  return { ...fields, warnings: warnings.map((warning) => warning.message) };
}

function refusal(body: object): string | undefined {
  const result = runToEnd(clientRequest({ contents: [HI], ...body }).canonical());
  return result.ok ? undefined : result.error.message;
}

describe('the conversation', () => {
  test('merges turns of one role, wherever they are split', () => {
    expect(
      messagesOf([{ parts: [{ text: 'a' }] }, { role: 'user', parts: [{ text: 'b' }] }, { role: 'model' }]),
    ).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  test('matches results of calls without ids in order, by name', () => {
    const call = (name: string, n: number) => ({ functionCall: { name, args: { n } } });
    const result = (name: string, n: number) => ({ functionResponse: { name, response: { output: `${n}` } } });
    const ids = (index: number) => {
      const message = canonicalOf({
        contents: [
          HI,
          { role: 'model', parts: [call('f', 1), call('g', 2), call('f', 3)] },
          { role: 'user', parts: [result('f', 1), result('g', 2), result('f', 3), { text: 'so?' }] },
        ],
      }).request.messages[index];
      if (message?.role === 'assistant') return message.parts.map((part) => part.type === 'tool-call' && part.id);
      return message?.role === 'tool' ? message.parts.map((part) => part.callId) : undefined;
    };
    expect(new Set(ids(1)).size).toBe(3);
    expect(ids(2)).toEqual(ids(1));
  });

  test('keeps ids, and matches generated ones to calls without one', () => {
    const contents = [
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }, { functionCall: { name: 'g' } }] },
      {
        role: 'function',
        parts: [
          { functionResponse: { id: 'new', name: 'g', response: { x: 1.5 } } },
          { functionResponse: { id: 'a', name: 'f', response: { error: 'no' } } },
        ],
      },
    ];
    const id = expect.stringMatching(/^call_/);
    const base = { type: 'tool-result', kind: 'function' };
    expect(messagesOf(contents)).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', id: 'a', name: 'f', kind: 'function', input: '{}' },
          { type: 'tool-call', id, name: 'g', kind: 'function', input: '{}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { ...base, callId: id, name: 'g', parts: [{ type: 'text', text: '{"x":1.5}' }], isError: false },
          { ...base, callId: 'a', name: 'f', parts: [{ type: 'text', text: 'no' }], isError: true },
        ],
      },
    ]);
  });

  test('takes the first of several results for the same call, with a warning', () => {
    const call = { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f', args: {} } }] };
    const result = { functionResponse: { id: 'a', name: 'f', response: { output: 'once' } } };
    const contents = [call, { role: 'user', parts: [result, result] }, call, { role: 'user', parts: [result] }];
    const { messages } = canonicalOf({ contents }).request;
    expect(messages.map(({ role, parts }) => `${role} ${parts.length}`)).toEqual([
      'assistant 1',
      'tool 1',
      'assistant 1',
      'tool 1',
    ]);
    expect(canonicalOf({ contents }).warnings.map(({ message }) => message)).toEqual([
      'contents[1].parts[1].functionResponse: left out, since the call has a result already',
    ]);
  });

  test('gives a result to each call that has none, and moves late ones to their calls', () => {
    const call = (name: string) => ({ functionCall: { name, args: {} } });
    const result = (name: string) => ({ functionResponse: { name, response: { output: name } } });
    const contents = [
      HI,
      { role: 'model', parts: [call('f'), call('g')] },
      { role: 'user', parts: [result('g')] },
      { role: 'model', parts: [call('h'), call('i')] },
      HI,
      { role: 'user', parts: [result('i')] },
      { role: 'model', parts: [call('j')] },
    ];
    const { request, warnings } = canonicalOf({ contents });
    const turns = request.messages.map(({ role, parts }) => [
      role,
      ...parts.map((part) => {
        if (part.type === 'tool-call') return part.name;
        if (part.type !== 'tool-result') return part.type;
        const [inner] = part.parts;
        return `${part.callId}: ${inner?.type === 'text' ? inner.text : ''}`;
      }),
    ]);
    const none = '(This call has no result.)';
    expect(turns).toEqual([
      ['user', 'text'],
      ['assistant', 'f', 'g'],
      ['tool', 'call_2_of_g: g', `call_1_of_f: ${none}`],
      ['assistant', 'h', 'i'],
      ['tool', `call_3_of_h: ${none}`, 'call_4_of_i: i'],
      ['user', 'text'],
      ['assistant', 'j'],
      ['tool', `call_5_of_j: ${none}`],
    ]);
    expect(warnings.map(({ path }) => path)).toEqual([
      'contents[1].parts[0]',
      'contents[3].parts[0]',
      'contents[6].parts[0]',
    ]);
  });

  test('rejects a conversation without any content', () => {
    for (const contents of [
      [{ role: 'user', parts: [] }],
      [{ role: 'user', parts: [{ text: '' }] }, { role: 'model' }],
    ]) {
      expect(refusal({ contents })).toBe('contents: expected at least one part with content');
    }
    expect(canonicalOf({ contents: [{ parts: [] }, HI] }).request.messages).toHaveLength(1);
  });

  test('rejects a result without a call', () => {
    expect(refusal({ contents: [{ parts: [{ function_response: { name: 'f', response: {} } }] }] })).toBe(
      'contents[0].parts[0].function_response: does not match an earlier function call',
    );
  });

  test('numbers in inputs and results keep their digits', () => {
    const text = JSON.stringify({
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { n: 'N' } } }] },
        { parts: [{ functionResponse: { name: 'f', response: { n: 'N' } } }] },
      ],
    }).replaceAll('"N"', '12345678901234567890');
    const result = runToEnd(clientRequest(text).canonical());
    expect(JSON.stringify(result)).toContain(String.raw`"input":"{\"n\":12345678901234567890}"`);
    expect(JSON.stringify(result)).toContain(String.raw`"text":"{\"n\":12345678901234567890}"`);
  });

  test('reasoning and signatures come back unchanged, also those of others', () => {
    const foreign = Buffer.from(wrapOpaque({ origin: 'anthropic-messages', data: 'EqQ=' }, 'gemini'));
    for (const alphabet of ['base64', 'base64url'] as const) {
      const parts = [
        { text: 'hm', thought: true, thoughtSignature: foreign.toString(alphabet) },
        { text: 'ho', thoughtSignature: Buffer.from([251, 255]).toString(alphabet) },
        { functionCall: { id: 'a', name: 'f', args: {} }, thought_signature: 'AAAA' },
      ];
      const result = { functionResponse: { id: 'a', name: 'f', response: {} } };
      expect(Object(messagesOf([{ role: 'model', parts }, { parts: [result] }]))[0]).toEqual({
        role: 'assistant',
        parts: [
          { type: 'reasoning', form: 'summary', text: 'hm', opaque: { origin: 'anthropic-messages', data: 'EqQ=' } },
          { type: 'text', text: 'ho', opaque: { origin: 'gemini', data: '+/8=' } },
          {
            type: 'tool-call',
            id: 'a',
            name: 'f',
            kind: 'function',
            input: '{}',
            opaque: { origin: 'gemini', data: 'AAAA' },
          },
        ],
      });
    }
  });

  test('joins the pieces of a streamed text, up to its signature', () => {
    const signature = Buffer.from(wrapOpaque({ origin: 'anthropic-messages', data: 'EqQ=' }, 'gemini')).toString(
      'base64',
    );
    const pieces = [
      { text: 'I th', thought: true },
      { text: 'ink', thought: true },
      { text: '', thought: true, thoughtSignature: signature },
      { text: 'again', thought: true },
      { text: 'Hel' },
      { text: 'lo' },
      { text: '', thoughtSignature: 'AAAA' },
      { text: '!' },
    ];
    const contents = pieces.map((part) => ({ role: 'model', parts: [part] }));
    expect(messagesOf([HI, ...contents])).toMatchObject([
      {},
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'I think', opaque: { origin: 'anthropic-messages', data: 'EqQ=' } },
          { type: 'reasoning', text: 'again' },
          { type: 'text', text: 'Hello', opaque: { origin: 'gemini', data: 'AAAA' } },
          { type: 'text', text: '!' },
        ],
      },
    ]);
  });

  test('distinguishes media by their type, with one base64 alphabet', () => {
    const parts = [
      { inlineData: { mimeType: 'image/png', data: '-_8' } },
      { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
      { inlineData: { mimeType: 'application/pdf', data: 'AAAA', displayName: 'a.pdf' } },
      { inlineData: { mimeType: 'text/plain', data: Buffer.from('Grüße').toString('base64url') } },
      {
        fileData: { fileUri: 'https://x/y', mimeType: 'image/jpeg' },
        mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' },
      },
      { fileData: { fileUri: 'https://x/y' } },
    ];
    expect(messagesOf([{ parts }])).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: '+/8=' } },
          { type: 'audio', mediaType: 'audio/wav', data: 'AAAA' },
          { type: 'file', source: { kind: 'data', mediaType: 'application/pdf', data: 'AAAA' }, filename: 'a.pdf' },
          { type: 'file', source: { kind: 'text', text: 'Grüße' } },
          { type: 'image', source: { kind: 'url', url: 'https://x/y', mediaType: 'image/jpeg' }, detail: 'low' },
          { type: 'file', source: { kind: 'url', url: 'https://x/y' } },
        ],
      },
    ]);
  });

  test('each part has its path in the client’s names', () => {
    const { request } = canonicalOf({
      contents: { parts: { inline_data: { mime_type: 'image/png', data: '' } } },
      system_instruction: { parts: { text: 's' } },
    });
    expect(request.messages).toMatchObject([
      { role: 'system', at: 'system_instruction', parts: [{ at: 'system_instruction.parts' }] },
      { role: 'user', at: 'contents', parts: [{ at: 'contents.parts' }] },
    ]);
  });
});

describe('settings', () => {
  test('are decoded with the client’s names', () => {
    expect(
      settings({
        max_output_tokens: 5,
        temperature: 1,
        topP: 0.5,
        topK: 3,
        seed: -1,
        presencePenalty: 1,
        frequencyPenalty: -1,
        candidateCount: 2,
        stopSequences: ['x'],
        responseLogprobs: true,
        logprobs: 2,
      }),
    ).toEqual({
      maxOutputTokens: 5,
      temperature: 1,
      topP: 0.5,
      topK: 3,
      seed: -1,
      presencePenalty: 1,
      frequencyPenalty: -1,
      choices: 2,
      stop: ['x'],
      logprobs: { top: 2 },
      names: {
        maxOutputTokens: 'generationConfig.max_output_tokens',
        temperature: 'generationConfig.temperature',
        topP: 'generationConfig.topP',
        topK: 'generationConfig.topK',
        seed: 'generationConfig.seed',
        presencePenalty: 'generationConfig.presencePenalty',
        frequencyPenalty: 'generationConfig.frequencyPenalty',
        choices: 'generationConfig.candidateCount',
        stop: 'generationConfig.stopSequences',
        logprobs: 'generationConfig.responseLogprobs',
      },
      warnings: [],
    });
  });

  test.each([
    [{ thinkingBudget: -1 }, { adaptive: true }],
    [
      { thinkingBudget: 0, includeThoughts: true },
      { budgetTokens: 0, show: 'auto' },
    ],
    [
      { thinkingLevel: 'HIGH', includeThoughts: false },
      { effort: 'high', show: 'none' },
    ],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }, undefined],
  ])('thinking as in %j', (thinkingConfig, reasoning) => {
    expect(settings({ thinkingConfig })['reasoning']).toEqual(reasoning);
  });

  test.each([
    [{ responseMimeType: 'text/plain' }, { type: 'text' }],
    [{ responseMimeType: 'application/json' }, { type: 'json' }],
    [
      { responseMimeType: 'application/json', responseSchema: { type: 'STRING', nullable: true } },
      { type: 'json-schema', schema: { type: ['string', 'null'] } },
    ],
    [
      { responseMimeType: 'application/json', responseJsonSchema: { $ref: '#/$defs/a' } },
      { type: 'json-schema', schema: { $ref: '#/$defs/a' } },
    ],
    [
      { responseFormat: { text: { mime_type: 'application/json', schema: { type: 'object' } } } },
      { type: 'json-schema', schema: { type: 'object' } },
    ],
  ])('a response as in %j', (config, responseFormat) => {
    expect(settings(config)['responseFormat']).toEqual(responseFormat);
  });

  test.each<[object, string]>([
    [{ responseSchema: {} }, 'generationConfig.responseMimeType: must be "application/json" where there is a schema'],
    [
      { responseMimeType: 'text/x.enum' },
      'generationConfig.responseMimeType: expected "text/plain" or "application/json"',
    ],
    [{ logprobs: 1 }, 'generationConfig.logprobs: only allowed when responseLogprobs is true'],
    [
      { thinkingConfig: { thinkingLevel: 'LOW', thinking_budget: 1 } },
      'generationConfig.thinkingConfig.thinking_budget: not allowed together with thinkingLevel; send only one',
    ],
    [
      { audioTranscriptionConfig: {} },
      "generationConfig.audioTranscriptionConfig: not available at this model's provider; remove it",
    ],
  ])('rejects %j', (generationConfig, message) => {
    expect(refusal({ generationConfig })).toBe(message);
  });

  test('warns of fields that others lack, including unknown ones', () => {
    const { warnings } = canonicalOf({
      contents: [{ ...HI, x: 1, parts: [{ text: 'hi', part_metadata: {} }] }],
      safety_settings: [{ category: 'c', threshold: 't' }],
      generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_MEDIUM', future: 1 },
      service_tier: 'standard',
      labels: {},
    });
    expect(warnings.map((warning) => warning.message).sort()).toEqual(
      [
        'safety_settings',
        'generationConfig.future',
        'generationConfig.mediaResolution',
        'contents[0].x',
        'contents[0].parts[0].part_metadata',
      ]
        .map((path) => `${path}: not passed on to this model's provider`)
        .sort(),
    );
  });
});

test('leaves earlier actions of tools run by Google out with a warning', () => {
  const { request, warnings } = canonicalOf({
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ executableCode: { code: '1' } }, { text: 'One.' }] },
    ],
  });
  expect(request.messages[1]?.parts).toMatchObject([{ type: 'text', text: 'One.' }]);
  expect(warnings.map(({ path }) => path)).toEqual(['contents[1].parts[0].executableCode']);
});

test.each<[object, string]>([
  [
    { fileData: { fileUri: 'https://x/y', mimeType: 'video/mp4' }, videoMetadata: { startOffset: '1s' } },
    "contents[0].parts[0].videoMetadata: this model's provider does not accept parts of a video; remove it",
  ],
  [
    { fileData: { fileUri: 'https://x/y', mimeType: 'audio/wav' } },
    'contents[0].parts[0].fileData: audio is accepted only as inlineData',
  ],
  [{ functionCall: { name: 'f' } }, 'contents[0].parts[0].functionCall: must be in a content of the role "model"'],
])('rejects a part that would change the meaning: %j', (part, message) => {
  expect(refusal({ contents: [{ role: 'user', parts: [part] }] })).toBe(message);
});

test('never throws for valid requests', () => {
  const part = fc.record(
    {
      text: fc.string(),
      thought: fc.boolean(),
      thoughtSignature: fc.string(),
      partMetadata: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const content = fc.record({ role: fc.constantFrom('user', 'model', 'function'), parts: fc.array(part) });
  fc.assert(
    fc.property(fc.array(content), (contents) => {
      expect(runToEnd(clientRequest({ contents: [HI, ...contents] }).canonical()).ok).toBe(true);
    }),
  );
});
