import { expect, test } from 'vitest';
import type { ModelParameters } from '../../interface/parameters.ts';
import { runToEnd } from '../../lists/stages.ts';
import { parseClientRequest } from '../client-request.ts';

function request(text: string) {
  const result = runToEnd(parseClientRequest(Buffer.from(text)));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

function sent(text: string, parameters: ModelParameters, outputTokens?: number) {
  const dispatch = { upstreamModel: 'm', outputTokens, parameters };
  const client = request(text);
  return {
    text: client.editRequest(dispatch).toString('utf8'),
    warnings: client.adjustmentWarnings(dispatch).map(({ message }) => message),
  };
}

test('changes only the members that the provider takes in another form', () => {
  const text =
    '{ "model":"m", "x_n": 1.50, "max_completion_tokens": 9, "messages": [ {"role":"developer","content":"a", "x":1.0},' +
    ' {"role":"assistant", "content":"b","reasoning_content":"c" , "x": 2.0}, {"role":"user","content" : "\\u0064"} ] }';
  expect(sent(text, { outputLimit: 'max_tokens', developerRole: false, reasoningHistory: 'reasoning' })).toEqual({
    text:
      '{ "model":"m", "x_n": 1.50, "messages": [ {"role":"system","content":"a", "x":1.0},' +
      ' {"role":"assistant", "content":"b" , "x": 2.0,"reasoning":"c"}, {"role":"user","content" : "\\u0064"} ],"max_tokens":9 }',
    warnings: [],
  });
});

test('is the client’s bytes where the provider takes everything as it is', () => {
  const text =
    '{"model":"m","max_tokens":9, "messages":[ {"role":"system","content":"a"}, {"role":"user","content":"b"} ]}';
  const parameters: ModelParameters = {
    outputLimit: 'max_tokens',
    developerRole: false,
    lateSystemMessages: false,
    repeatedRoles: false,
    contentParts: false,
    nullContent: false,
    freeArguments: false,
    reasoningHistory: 'thinking_parts',
    toolCallIds: 'nine_alphanumeric',
    reasoningSwitch: 'thinking',
    unsupported: ['n', 'seed', 'tools[].function.strict', 'messages[].name'],
  };
  expect(sent(text, parameters)).toEqual({ text, warnings: [] });
});

test('has the limit of the balance under the provider’s name, whether or not the client set one', () => {
  const messages = '"messages":[{"role":"user","content":"b"}]';
  const parameters: ModelParameters = { outputLimit: 'max_tokens' };
  expect(JSON.parse(sent(`{"model":"m",${messages}}`, parameters, 7).text)).toMatchObject({ max_tokens: 7 });
  const limited = JSON.parse(sent(`{"model":"m","max_completion_tokens":9,${messages}}`, parameters, 7).text);
  expect(limited).toEqual({ model: 'm', messages: [{ role: 'user', content: 'b' }], max_tokens: 7 });
});

test('leaves out fields of messages and tools, and the request for usage', () => {
  const text =
    '{"model":"m","stream":true,"messages":[{"role":"user","content":"b","name":"n"}],' +
    '"tools":[{"type":"function","function":{"name":"f","strict":true}}]}';
  const parameters: ModelParameters = { unsupported: ['stream_options', 'messages[].name', 'tools[].function.strict'] };
  const { text: bytes, warnings } = sent(text, parameters);
  expect(JSON.parse(bytes)).toEqual({
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'b' }],
    tools: [{ type: 'function', function: { name: 'f' } }],
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^messages\[\]\.name: left out/),
    expect.stringMatching(/^tools\[\]\.function\.strict: left out/),
  ]);
});

test('is refused by name where the response would be another without a field', () => {
  const client = request('{"model":"m","n":2,"messages":[{"role":"user","content":"b"}]}');
  const dispatch = { upstreamModel: 'm', outputTokens: undefined };
  expect(client.rejection?.({ ...dispatch, parameters: { unsupported: ['n'] } })?.message).toMatch(/^n: this model's/);
  expect(client.rejection?.({ ...dispatch, parameters: { unsupported: ['seed'] } })).toBeUndefined();
});

test('keeps Mistral’s thinking parts, which count as text of the prompt', () => {
  const part = '{"type":"thinking","thinking":[{"type":"text","text":"thought"}]}';
  const text = `{"model":"m","messages":[{"role":"assistant","content":[${part},{"type":"text","text":"said"}]}]}`;
  expect(sent(text, { reasoningHistory: 'thinking_parts' }).text).toBe(text);
  expect(JSON.parse(sent(text, { reasoningHistory: 'reasoning_content' }).text).messages).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'said' }], reasoning_content: 'thought' },
  ]);
});

test('a schema that the provider does not enforce is an instruction in front of the client’s own messages', () => {
  const schema = '{"type":"object","properties":{"n":{"type":"integer"}}}';
  const format = `{"type":"json_schema","json_schema":{"name":"a","schema":${schema}}}`;
  const message = '{"role":"user", "content":"hi"}';
  const text = `{"model":"m","messages":[${message}],"response_format":${format}}`;
  for (const parameters of [{ jsonSchema: false }, { jsonSchema: false, developerRole: false }]) {
    expect(JSON.parse(sent(text, parameters).text)).toMatchObject({
      messages: [
        { role: 'system', content: expect.stringContaining(schema) },
        { role: 'user', content: 'hi' },
      ],
      response_format: { type: 'json_object' },
    });
  }
  expect(sent(text, { jsonSchema: false }).text).toContain(`,${message}]`);
  expect(sent(text, { jsonSchema: true, developerRole: false })).toEqual({ text, warnings: [] });
});
