import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shapeError } from '../../../testing/anthropic-messages/requests.ts';
import { request } from '../../../testing/canonical/arbitrary.ts';
import type { Message } from '../../canonical/message.ts';
import type { CanonicalRequest } from '../../canonical/request.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { EncodeTarget } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import { runToEnd } from '../../lists/stages.ts';
import { Diagnostics } from '../../request/diagnostics.ts';
import { encodeRequest } from './encode-request.ts';

const HELLO: Message = { role: 'user', parts: [{ type: 'text', text: 'Hi' }], at: 'input' };
const TARGET: EncodeTarget = {
  upstreamModel: 'claude-x',
  outputTokens: undefined,
  isStream: false,
  maxOutputTokens: 32_000,
};
const TOOLS: CanonicalRequest['tools'] = [
  { type: 'function', name: 'f', at: 'functions.0' },
  { type: 'function', name: 'g', at: 'functions.1' },
];

interface Encoded {
  readonly body: JsonRecord;
  readonly warnings: string[];
  readonly refusals: string[];
  readonly places: ReadonlyMap<string, string>;
}

function encode(members: Partial<CanonicalRequest>, target: Partial<EncodeTarget> = {}): Encoded {
  const diagnostics = new Diagnostics();
  const given: CanonicalRequest = { messages: [HELLO], tools: [], names: {}, ...members };
  const body = runToEnd(encodeRequest(given, { ...TARGET, ...target }, diagnostics));
  return {
    body,
    warnings: diagnostics.warnings.map((warning) => warning.path),
    refusals: diagnostics.errors.map((warning) => warning.path),
    places: diagnostics.places(),
  };
}

describe('the limit', () => {
  test.each([
    [undefined, undefined, 32_000, []],
    [100, undefined, 100, []],
    [64_000, undefined, 32_000, ['max']],
    [100, 50, 50, []],
  ])('of the client %j and of the balance %j is sent as %d', (maxOutputTokens, outputTokens, sent, warnings) => {
    const set = maxOutputTokens === undefined ? {} : { maxOutputTokens, names: { maxOutputTokens: 'max' } };
    const encoded = encode(set, { outputTokens });
    expect(encoded.body['max_tokens']).toBe(sent);
    expect(encoded.warnings).toEqual(warnings);
  });
});

describe('thinking', () => {
  test.each<[NonNullable<CanonicalRequest['reasoning']>, number, JsonRecord]>([
    [{ effort: 'medium' }, 32_000, { thinking: { type: 'enabled', budget_tokens: 8_192 } }],
    [{ effort: 'max' }, 32_000, { thinking: { type: 'enabled', budget_tokens: 31_999 } }],
    [{ effort: 'none' }, 32_000, { thinking: { type: 'disabled' } }],
    [{ budgetTokens: 10 }, 32_000, { thinking: { type: 'enabled', budget_tokens: 1_024 } }],
    [{ budgetTokens: 0 }, 32_000, { thinking: { type: 'disabled' } }],
    [{ adaptive: true, show: 'none' }, 100, { thinking: { type: 'adaptive', display: 'omitted' } }],
    [{ adaptive: true, effort: 'minimal' }, 100, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    [
      { effort: 'low', show: 'detailed' },
      32_000,
      { thinking: { type: 'enabled', budget_tokens: 2_048, display: 'summarized' } },
    ],
  ])('%j within %d tokens', (reasoning, maxOutputTokens, expected) => {
    const { body, warnings } = encode({ reasoning, maxOutputTokens, names: { reasoning: 'r' } });
    expect({ thinking: body['thinking'], output_config: body['output_config'] }).toEqual({
      output_config: undefined,
      ...expected,
    });
    expect(warnings).toEqual([]);
  });

  test('is dropped with a warning if the limit has no room for it', () => {
    const { body, warnings } = encode({
      reasoning: { effort: 'low' },
      maxOutputTokens: 1_024,
      names: { reasoning: 'r' },
    });
    expect(body).not.toHaveProperty('thinking');
    expect(warnings).toEqual(['r']);
  });

  test('accepts no sampling settings', () => {
    const names = { temperature: 't', topK: 'k', topP: 'p' };
    const { body, warnings } = encode({ reasoning: { effort: 'low' }, temperature: 0.2, topK: 4, topP: 0.5, names });
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('top_k');
    expect(body).not.toHaveProperty('top_p');
    expect(warnings).toEqual(['t', 'p', 'k']);
  });

  test.each<NonNullable<CanonicalRequest['reasoning']>>([
    { effort: 'low' },
    { budgetTokens: 5_000 },
    { adaptive: true },
  ])('with a budget is dropped for a forced call: %j', (reasoning) => {
    const parameters: ModelParameters = { thinking: { control: 'budget', canDisable: true } };
    const asked = { tools: TOOLS, reasoning, names: { reasoning: 'r' } };
    const { body, warnings, refusals } = encode({ ...asked, toolChoice: { type: 'required' } }, { parameters });
    expect(body).toMatchObject({ tool_choice: { type: 'any' } });
    expect(body).not.toHaveProperty('thinking');
    expect({ warnings, refusals }).toEqual({ warnings: ['r'], refusals: [] });
    const free = encode({ ...asked, toolChoice: { type: 'auto' } }, { parameters });
    expect(free.body).toMatchObject({ thinking: { type: 'enabled' }, tool_choice: { type: 'auto' } });
  });

  test('with a budget is dropped if the model continues text without reasoning', () => {
    const begun: Message = { role: 'assistant', parts: [{ type: 'text', text: 'So' }] };
    const asked = { reasoning: { effort: 'low' }, names: { reasoning: 'r' } } as const;
    const { body, warnings } = encode({ messages: [HELLO, begun], ...asked });
    expect(body).not.toHaveProperty('thinking');
    expect(warnings).toEqual(['r']);
    expect(encode({ messages: [HELLO, begun, HELLO], ...asked }).body).toHaveProperty('thinking');
  });

  test('with a budget is dropped if a turn of the conversation calls tools without reasoning', () => {
    const messages: Message[] = [
      HELLO,
      { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'f', kind: 'function', input: '{}' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'a', kind: 'function', parts: [], isError: false }] },
    ];
    const names = { reasoning: 'r' };
    expect(encode({ messages, reasoning: { effort: 'low' }, names })).toMatchObject({ warnings: ['r'] });
    expect(encode({ messages, reasoning: { adaptive: true }, names }).body['thinking']).toEqual({ type: 'adaptive' });
  });
});

const ADAPTIVE: ModelParameters = { sampling: 'default_only', thinking: { control: 'effort', canDisable: true } };
const ALWAYS: ModelParameters = { thinking: { control: 'effort', canDisable: false } };
const BETWEEN_TOOLS: ModelParameters = { thinking: { control: 'effort', canDisable: false, betweenTools: true } };
const EITHER: ModelParameters = { efforts: ['low', 'high'], thinking: { control: 'any', canDisable: true } };

describe('a model with adaptive thinking', () => {
  const names = { reasoning: 'r', temperature: 't', topP: 'p', topK: 'k' };
  test.each<[ModelParameters, NonNullable<CanonicalRequest['reasoning']>, JsonRecord, string[]]>([
    [ADAPTIVE, { effort: 'xhigh' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } }, []],
    [ADAPTIVE, { effort: 'minimal' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, []],
    [
      ADAPTIVE,
      { budgetTokens: 5_000, show: 'auto' },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
      ['r'],
    ],
    [ADAPTIVE, { effort: 'none' }, { thinking: { type: 'disabled' } }, []],
    [ALWAYS, { effort: 'none' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, ['r']],
    [BETWEEN_TOOLS, { effort: 'none' }, { thinking: { type: 'between_tools' } }, ['r']],
    [BETWEEN_TOOLS, { budgetTokens: 0 }, { thinking: { type: 'between_tools' } }, ['r']],
    [EITHER, { effort: 'medium' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }, ['r']],
    [EITHER, { budgetTokens: 5_000 }, { thinking: { type: 'enabled', budget_tokens: 5_000 } }, []],
    [
      { thinking: { control: 'budget', canDisable: true, maxBudgetTokens: 4_000 } },
      { adaptive: true },
      { thinking: { type: 'enabled', budget_tokens: 4_000 } },
      ['r'],
    ],
  ])('that accepts %j gets %j as %j', (parameters, reasoning, expected, warned) => {
    const { body, warnings } = encode({ reasoning, names }, { parameters });
    expect({ thinking: body['thinking'], output_config: body['output_config'] }).toEqual({
      output_config: undefined,
      ...expected,
    });
    expect(warnings).toEqual(warned);
  });

  test('can be forced to call a tool', () => {
    const forced = { reasoning: { effort: 'low' }, tools: TOOLS, toolChoice: { type: 'required' } } as const;
    const { body, warnings, refusals } = encode(forced, { parameters: ADAPTIVE });
    expect(body).toMatchObject({ tool_choice: { type: 'any' }, thinking: { type: 'adaptive' } });
    expect(body).not.toHaveProperty('system');
    expect({ warnings, refusals }).toEqual({ warnings: [], refusals: [] });
  });

  const UNFORCED: ModelParameters = { ...ALWAYS, forcedCalls: false };

  test.each<[NonNullable<CanonicalRequest['toolChoice']>, string]>([
    [{ type: 'tool', name: 'f' }, 'Your response must call the tool f.'],
    [{ type: 'required' }, 'Your response must call at least one of the tools.'],
    [{ type: 'allowed', mode: 'required', names: ['g'] }, 'Your response must call at least one of the tools.'],
  ])('is instructed to call a tool if the catalogue says that it cannot be forced: %j', (toolChoice, instruction) => {
    const { body, warnings, refusals } = encode(
      {
        tools: TOOLS,
        toolChoice,
        parallelToolCalls: false,
        reasoning: { effort: 'high' },
        names: { ...names, toolChoice: 'c' },
      },
      { parameters: UNFORCED },
    );
    expect(body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
    expect(body['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(body['system']).toEqual([{ type: 'text', text: instruction }]);
    expect({ warnings, refusals }).toEqual({ warnings: ['c'], refusals: [] });
  });

  test.each<CanonicalRequest['toolChoice']>([undefined, { type: 'auto' }, { type: 'none' }])(
    'is not instructed to call a tool by the choice %j',
    (toolChoice) => {
      const { body, warnings } = encode({ tools: TOOLS, ...(toolChoice && { toolChoice }) }, { parameters: UNFORCED });
      expect(body['tool_choice']).toEqual(toolChoice);
      expect(body).not.toHaveProperty('system');
      expect(warnings).toEqual([]);
    },
  );

  test('accepts only default sampling', () => {
    const steered = encode({ temperature: 0.5, topP: 0.99, topK: 3, names }, { parameters: ADAPTIVE });
    expect(steered.warnings).toEqual(['t', 'p', 'k']);
    const plain = encode({ temperature: 1, topP: 1, names }, { parameters: ADAPTIVE });
    expect(plain.warnings).toEqual([]);
    for (const { body } of [steered, plain]) {
      expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model']);
    }
  });

  test('is not derived from a name: an unknown model gets a budget, and a temperature or top_p', () => {
    const { body, warnings } = encode({ reasoning: { effort: 'low' }, names }, { upstreamModel: 'claude-opus-4-7' });
    expect(body['thinking']).toEqual({ type: 'enabled', budget_tokens: 2_048 });
    expect(warnings).toEqual([]);
    const steered = encode({ temperature: 0.5, topP: 0.9, names });
    expect(steered.body).toMatchObject({ temperature: 0.5 });
    expect(steered.body).not.toHaveProperty('top_p');
    expect(steered.warnings).toEqual(['p']);
    expect(encode({ temperature: 1, topP: 0.9, names }).body).toMatchObject({ top_p: 0.9 });
  });
});

describe('tools', () => {
  test.each<[Partial<CanonicalRequest>, JsonRecord | undefined, number]>([
    [{}, undefined, 2],
    [{ toolChoice: { type: 'auto' } }, { type: 'auto' }, 2],
    [{ toolChoice: { type: 'required' } }, { type: 'any' }, 2],
    [{ toolChoice: { type: 'none' }, parallelToolCalls: false }, { type: 'none' }, 2],
    [{ parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }, 2],
    [{ parallelToolCalls: true }, undefined, 2],
    [{ toolChoice: { type: 'allowed', mode: 'required', names: ['g'] } }, { type: 'any' }, 1],
    [{ tools: [], toolChoice: { type: 'none' } }, undefined, 0],
  ])('%j', (members, choice, count) => {
    const { body } = encode({ tools: TOOLS, ...members });
    expect(body['tool_choice']).toEqual(choice);
    expect(body['tools'] ?? []).toHaveLength(count);
  });

  test('have an object schema', () => {
    const tools = [
      { type: 'function', name: 'f' },
      { type: 'function', name: 'g', parameters: { properties: {} }, strict: true },
    ] as const;
    const { body } = encode({ tools });
    expect(body['tools']).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
      { name: 'g', input_schema: { type: 'object', properties: {}, additionalProperties: false }, strict: true },
    ]);
  });
});

describe('schemas', () => {
  const AGE = { type: 'integer', minimum: 0, description: 'In years.' };
  const PERSON = { type: 'object', properties: { age: AGE } };
  const FREE = { type: 'object', additionalProperties: { type: 'string' } };

  test('of responses are closed, with a warning for rules that are not enforced', () => {
    const format = (schema: JsonRecord) =>
      encode({ responseFormat: { type: 'json-schema', schema }, names: { responseFormat: 'f' } });
    const contents = format(PERSON);
    const age = { type: 'integer', description: 'In years.\n\nminimum: 0' };
    expect(contents.body['output_config']).toEqual({
      format: { type: 'json_schema', schema: { ...PERSON, properties: { age }, additionalProperties: false } },
    });
    expect(contents.warnings).toEqual(['f']);
    const plain = format({ type: 'object', properties: { a: { oneOf: [{ type: 'string' }, { type: 'null' }] } } });
    expect(plain.body['output_config']).toMatchObject({
      format: { schema: { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } } },
    });
    expect(plain.warnings).toEqual([]);
    const open = format({ ...PERSON, properties: {}, additionalProperties: true });
    expect(open.body['output_config']).toMatchObject({ format: { schema: { additionalProperties: false } } });
    expect(open.warnings).toEqual(['f']);
  });

  test.each<[string, CanonicalRequest['responseFormat'], ModelParameters, RegExp]>([
    ['JSON without a schema', { type: 'json' }, {}, /^Respond with a single JSON object/],
    [
      'a schema of open objects',
      { type: 'json-schema', schema: FREE },
      {},
      /conforms to the JSON Schema[\s\S]*"type":"object"/,
    ],
    ['any schema', { type: 'json-schema', schema: PERSON }, { jsonSchema: false }, /conforms[\s\S]*"minimum":0/],
  ])('instruct the model where its provider cannot be asked for %s', (_, responseFormat, parameters, text) => {
    const system: Message = { role: 'system', parts: [{ type: 'text', text: 'First' }] };
    const { body, warnings, refusals } = encode(
      { messages: [system, HELLO], responseFormat, names: { responseFormat: 'f' } } as Partial<CanonicalRequest>,
      { parameters },
    );
    expect(body['system']).toEqual([
      { type: 'text', text: 'First' },
      { type: 'text', text: expect.stringMatching(text) },
    ]);
    expect(body).not.toHaveProperty('output_config');
    expect({ warnings, refusals }).toEqual({ warnings: ['f'], refusals: [] });
  });

  test.each([
    ['a rule', PERSON],
    ['an open object', FREE],
  ])('of strict tools with %s that cannot be enforced are sent unchanged, but not as strict', (_, parameters) => {
    const { body, warnings } = encode({ tools: [{ type: 'function', name: 'f', parameters, strict: true, at: 't' }] });
    expect(body['tools']).toEqual([{ name: 'f', input_schema: parameters }]);
    expect(warnings).toEqual(['t']);
  });
});

describe('what Anthropic does not support', () => {
  test('is rejected if the response would differ', () => {
    const members = {
      logitBias: { 1: 1 },
      logprobs: { top: 1 },
      choices: 2,
    } as const;
    const names = { logitBias: 'a', logprobs: 'b', choices: 'c' };
    expect(encode({ ...members, names }).refusals.sort()).toEqual(['a', 'b', 'c']);
    const audio: Message = { role: 'user', parts: [{ type: 'audio', mediaType: 'audio/wav', data: '', at: 'sound' }] };
    const bitmap = { kind: 'data', mediaType: 'image/bmp', data: '' } as const;
    const image: Message = { role: 'user', parts: [{ type: 'image', source: bitmap, at: 'picture' }] };
    expect(encode({ messages: [audio, image] }).refusals).toEqual(['sound', 'picture']);
  });

  test('is dropped with a warning if it would not', () => {
    const members = {
      seed: 1,
      verbosity: 'low',
      presencePenalty: 1,
      metadata: {},
      truncation: 'auto',
      temperature: 2,
    } as const;
    const names = { seed: 'a', verbosity: 'b', presencePenalty: 'c', metadata: 'd', truncation: 'e', temperature: 'f' };
    const { body, warnings } = encode({ ...members, names });
    expect(warnings.sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(body['temperature']).toBe(1);
  });

  test('is dropped if it requests the default', () => {
    const members = { choices: 1, responseFormat: { type: 'text' }, truncation: 'disabled', stop: [] } as const;
    const { body, warnings, refusals } = encode(members);
    expect([warnings, refusals]).toEqual([[], []]);
    expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model']);
  });
});

test('any request becomes valid for Anthropic, or is rejected', () => {
  fc.assert(
    fc.property(request({ customTools: false, placed: true }), (given) => {
      const diagnostics = new Diagnostics();
      const body = runToEnd(encodeRequest(given, TARGET, diagnostics));
      if (diagnostics.errors.length > 0) return;
      expect(shapeError(body)).toBeUndefined();
      const messages = Array.isArray(body['messages']) ? body['messages'] : [];
      const roles = messages.map((message) => (isRecord(message) ? message['role'] : ''));
      expect(roles.filter((role, i) => role === roles[i - 1])).toEqual([]);
      for (const { message } of diagnostics.warnings) expect(message).toMatch(/^[a-z]+[.[][^ ]*: /);
    }),
    { numRuns: 50 },
  );
});

describe('cache breakpoints of a client that names a key for its cache', () => {
  const SYSTEM: Message = {
    role: 'system',
    parts: [
      { type: 'text', text: 'Be short.' },
      { type: 'text', text: 'Be kind.' },
    ],
    at: 'instructions',
  };
  const EPHEMERAL = { type: 'ephemeral' };

  test('are after the instructions and the last turn', () => {
    const { body, warnings } = encode({ messages: [SYSTEM, HELLO], cacheKey: 'k', names: { cacheKey: 'key' } });
    expect(body).toMatchObject({
      system: [{ text: 'Be short.' }, { text: 'Be kind.', cache_control: EPHEMERAL }],
      messages: [{ role: 'user', content: [{ text: 'Hi', cache_control: EPHEMERAL }] }],
    });
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(2);
    expect(warnings).toEqual([]);
  });

  test('are its own if it sets some', () => {
    const marked: Message = { ...HELLO, parts: [{ type: 'text', text: 'Hi', cache: { ttl: '1h' } }] };
    const { body } = encode({ messages: [SYSTEM, marked, HELLO], cacheKey: 'k' });
    expect(JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g)).toEqual([
      '"cache_control":{"type":"ephemeral","ttl":"1h"}',
    ]);
  });

  test('are not set without one', () => {
    expect(JSON.stringify(encode({ messages: [SYSTEM, HELLO] }).body)).not.toContain('cache_control');
  });
});
