import { describe, expect, test } from 'vitest';
import { clientRequest } from '../../../testing/gemini/round-trip.ts';
import { wrapOpaque } from '../../canonical/opaque.ts';
import { encodeSignature } from '../shared/signature.ts';

const HI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const DISPATCH = { upstreamModel: 'gemini-3-pro', outputTokens: undefined };

function policy(body: object) {
  const { errors, warnings } = clientRequest({ ...HI, ...body }).policy;
  return { errors: errors.map((warning) => warning.message), warnings: warnings.map((warning) => warning.message) };
}

function forward(body: unknown, dispatch = {}): string {
  return clientRequest(body)
    .editRequest({ ...DISPATCH, ...dispatch })
    .toString();
}

const file = (fileUri: string) => ({ contents: [{ parts: [{ file_data: { file_uri: fileUri } }] }] });

test.each([
  [{ service_tier: 'priority' }, { value: 'priority', path: 'service_tier' }],
  [{ serviceTier: 'SERVICE_TIER_FLEX' }, { value: 'flex', path: 'serviceTier' }],
])('%j is left to the price of the model', (body, option) => {
  const { errors, options } = clientRequest({ ...HI, ...body }).policy;
  expect(errors).toEqual([]);
  expect(options).toMatchObject([{ name: 'service_tier', isOpen: false, ...option }]);
});

describe('rejected requests', () => {
  test.each<[object, string]>([
    [
      { cachedContent: 'cachedContents/1' },
      'cachedContent: contents stored at the provider are not accepted; send them in contents',
    ],
    [
      { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
      'generationConfig.responseModalities[1]: only "TEXT" output is supported',
    ],
    [
      { generation_config: { speech_config: {} } },
      'generation_config.speech_config: audio output is not supported; remove it',
    ],
    [
      { generationConfig: { imageConfig: {} } },
      'generationConfig.imageConfig: image output is not supported; remove it',
    ],
    [
      { generationConfig: { routingConfig: {} } },
      'generationConfig.routingConfig: the path names the model; remove it',
    ],
    [
      { generationConfig: { responseFormat: [{ audio: {} }] } },
      'generationConfig.responseFormat[0].audio: only text output is supported',
    ],
    [
      { contents: [{ parts: [{ mediaProcessing: 'AGENTIC' }] }] },
      'contents[0].parts[0].mediaProcessing: processing by provider tools is not supported',
    ],
    [
      { tools: [{ googleSearch: {} }], toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
      'tools[0].googleSearch: web search is not available for this model; remove it',
    ],
  ])('%j', (body, message) => {
    expect(policy(body)).toEqual({ errors: [message], warnings: [] });
  });

  test('a continued response', () => {
    expect(policy({ continuationToken: 'AA==' }).errors[0]).toMatch(/^continuationToken: .*automaticContinuation/);
  });

  test.each([
    'files/abc',
    'abc',
    'https://generativelanguage.googleapis.com/v1beta/files/abc',
    'https://GENERATIVELANGUAGE.googleapis.com./v1beta/files/abc',
    'gs://bucket/x',
    'file:///etc/passwd',
  ])('the stored file %s', (uri) => {
    expect(policy(file(uri)).errors).toEqual([
      'contents[0].parts[0].file_data.file_uri: files stored at the provider are not accepted; send the content as inlineData or a public https URL',
    ]);
  });

  test('a stored file within a result, or within the instructions', () => {
    const fileData = { fileUri: 'files/1' };
    const result = { functionResponse: { name: 'f', response: {}, parts: [{ fileData }] } };
    expect(policy({ contents: [{ parts: [result] }] }).errors[0]).toMatch(
      /^contents\[0\]\.parts\[0\]\.functionResponse\.parts\[0\]\.fileData\.fileUri: /,
    );
    expect(policy({ systemInstruction: { parts: [{ fileData }] } }).errors).toHaveLength(1);
  });
});

describe('what passes unchanged', () => {
  test.each<[object]>([
    [{}],
    [{ serviceTier: 'standard' }],
    [{ service_tier: 'SERVICE_TIER_STANDARD' }],
    [{ generationConfig: { responseModalities: ['Text'] } }],
    [file('https://example.com/a.pdf')],
    [file('https://storage.googleapis.com/public/a.png')],
    [file('https://www.youtube.com/watch?v=1')],
    [{ tools: [{ functionDeclarations: [{ name: 'f' }] }], store: false, labels: { a: 'b' } }],
    [{ contents: [{ role: 'model', parts: [{ text: '', thoughtSignature: 'CiQB' }] }] }],
  ])('%j', (body) => {
    expect(policy(body)).toEqual({ errors: [], warnings: [] });
    const text = JSON.stringify({ ...HI, ...body }, null, 2);
    expect(forward(text)).toBe(text);
  });
});

describe('dropped fields', () => {
  test('provider-run tools, while the rest keeps its bytes', () => {
    const tools =
      '[ {"googleSearch": {} }, {"function_declarations" : [ {"name":"f"} ], "url_context":{}}, {"new_one":{}} ]';
    const body = `{"contents":{"parts":{"text":"a"}},"tools":${tools},"toolConfig":{}}`;
    expect(clientRequest(body).policy.warnings.map((warning) => warning.message)).toEqual([
      'tools[0].googleSearch: left out, since web search is not available for this model',
      'tools[1].url_context: left out, since web fetch is not available for this model',
      'tools[2].new_one: left out, since tools run by the provider are not supported',
    ]);
    expect(forward(body)).toBe(
      '{"contents":{"parts":{"text":"a"}},"tools":[{"function_declarations" : [ {"name":"f"} ]}],"toolConfig":{}}',
    );
  });

  test('the tool settings with the last tool', () => {
    expect(forward({ ...HI, tools: { google_search: {} }, tool_config: { function_calling_config: {} } })).toBe(
      JSON.stringify(HI),
    );
  });

  test('storage', () => {
    expect(policy({ store: true }).warnings).toEqual(['store: sent as false, since the provider account is shared']);
    expect(JSON.parse(forward({ ...HI, store: true }))).toEqual({ ...HI, store: false });
  });

  test('results that repeat one for the same call', () => {
    const call = { functionCall: { id: 'a', name: 'f', args: {} } };
    const result = { functionResponse: { id: 'a', name: 'f', response: { output: 1 } } };
    const body = (...parts: object[][]) => ({
      contents: [{ role: 'model', parts: [call] }, ...parts.map((list) => ({ role: 'user', parts: list }))],
    });
    const repeated = body([result, { text: 'Go' }, result], [result]);
    expect(JSON.parse(forward(JSON.stringify(repeated)))).toEqual(body([result, { text: 'Go' }]));
    expect(clientRequest(repeated).passthroughWarnings?.map((warning) => warning.message)).toEqual([
      'contents[1].parts[2].functionResponse: left out, since the call has a result already',
    ]);
  });

  test('reasoning and signatures of other providers', () => {
    const signature = Buffer.from(wrapOpaque({ origin: 'anthropic-messages', data: 'x' }, 'gemini')).toString(
      'base64url',
    );
    const call = { functionCall: { name: 'f', args: { n: 1 } } };
    const contents = [
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true, thoughtSignature: signature },
          { text: 'a', thought_signature: signature },
          { text: 'b', thoughtSignature: 'CiQB' },
          { ...call, thoughtSignature: signature },
        ],
      },
    ];
    expect(clientRequest({ contents }).passthroughWarnings?.map((warning) => warning.message)).toEqual([
      'contents[0].parts[0].thoughtSignature: left out, since it is from another provider',
    ]);
    const alone = { role: 'model', parts: [{ text: '', thought: true, thoughtSignature: signature }] };
    const text = JSON.stringify({ contents: [alone, ...contents, { role: 'user' }] }).replace('"n":1', '"n":1.0');
    const kept = [{ text: 'a' }, { text: 'b', thoughtSignature: 'CiQB' }];
    const signed = { ...call, thoughtSignature: 'skip_thought_signature_validator' };
    expect(JSON.parse(forward(text, { parameters: { signedCalls: true } }))).toEqual({
      contents: [{ role: 'model', parts: [...kept, signed] }, { role: 'user' }],
    });
    expect(forward(text)).toContain('"n":1.0');
    expect(JSON.parse(forward(text))).toEqual({
      contents: [{ role: 'model', parts: [...kept, call] }, { role: 'user' }],
    });
  });
});

test('Google’s own signature is taken out of one that also carries reasoning, and its placeholders pass', () => {
  const call = { functionCall: { name: 'f', args: {} } };
  const thoughts = [{ form: 'full', text: 'hm', texts: 0 }] as const;
  const carried = encodeSignature({ opaque: { origin: 'gemini', data: 'CiQB' }, thoughts });
  const placeholder = { ...call, thoughtSignature: 'skip_thought_signature_validator' };
  const contents = [{ role: 'model', parts: [{ ...call, thoughtSignature: carried }, placeholder] }];
  expect(JSON.parse(forward({ contents }))).toEqual({
    contents: [{ role: 'model', parts: [{ ...call, thoughtSignature: 'CiQB' }, placeholder] }],
  });
});

describe('what the dispatch changes', () => {
  test('the limit, in the client’s names', () => {
    const limit = { outputTokens: 7 };
    expect(forward('{ "contents" : {"parts":{"text":"a"}}, "generation_config":{"max_output_tokens":9} }', limit)).toBe(
      '{ "contents" : {"parts":{"text":"a"}}, "generation_config":{"max_output_tokens":7} }',
    );
    expect(JSON.parse(forward({ ...HI, generation_config: { topK: 1 } }, limit))).toEqual({
      ...HI,
      generation_config: { topK: 1, maxOutputTokens: 7 },
    });
    expect(JSON.parse(forward(HI, limit))).toEqual({ ...HI, generationConfig: { maxOutputTokens: 7 } });
  });

  test('a model also named in the body', () => {
    expect(JSON.parse(forward({ model: 'models/alias', ...HI }))).toEqual({ model: 'models/gemini-3-pro', ...HI });
  });
});
