import { wrapOpaque } from '../../../src/canonical/opaque.ts';
import type { JsonRecord } from '../../../src/json/record.ts';
import { type LongLists, members, times, wideSchema } from './list.ts';

const HI = { role: 'user', content: 'Hi' };
const CALL = { name: 'f', arguments: '{"a":1.0}' };
const FOREIGN = wrapOpaque({ origin: 'gemini', data: 'c2ln' }, 'openai-chat');

function chat(fields: JsonRecord): JsonRecord {
  return { model: 'model-here', messages: [HI], ...fields };
}

function conversation(...messages: readonly JsonRecord[]): JsonRecord {
  return chat({ messages: [HI, ...messages, HI] });
}

function call(i: number): JsonRecord {
  return { id: `call_${i}`, type: 'function', function: CALL };
}

function result(i: number): JsonRecord {
  return { role: 'tool', tool_call_id: `call_${i}`, content: 'done' };
}

/** The lists of a chat completions request. */
export const CHAT_LISTS: LongLists = {
  'messages of the user': (n) => conversation(...times(n, () => HI)),
  'messages in turns': (n) => conversation(...times(n, (i) => ({ ...HI, role: i % 2 === 0 ? 'assistant' : 'user' }))),
  'messages of the assistant': (n) => conversation(...times(n, () => ({ role: 'assistant', content: 'Hello' }))),
  'messages of the system': (n) => conversation(...times(n, () => ({ role: 'system', content: 'Be kind.' }))),
  'messages with names': (n) => conversation(...times(n, (i) => ({ ...HI, name: `user_${i}` }))),
  'messages with members of their own': (n) => conversation(...times(n, (i) => ({ ...HI, [`own_${i}`]: 1 }))),
  'parts of the user': (n) => conversation({ role: 'user', content: times(n, () => ({ type: 'text', text: 'x' })) }),
  'parts of the system': (n) =>
    conversation({ role: 'system', content: times(n, () => ({ type: 'text', text: 'x' })) }),
  'parts of the assistant': (n) =>
    conversation({ role: 'assistant', content: times(n, () => ({ type: 'text', text: 'x' })) }),
  'parts with marks for the cache': (n) =>
    conversation({
      role: 'user',
      content: times(n, () => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } })),
    }),
  images: (n) =>
    conversation({
      role: 'user',
      content: times(n, () => ({ type: 'image_url', image_url: { url: 'https://images.example/a.png' } })),
    }),
  files: (n) =>
    conversation({
      role: 'user',
      content: times(n, () => ({ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } })),
    }),
  recordings: (n) =>
    conversation({
      role: 'user',
      content: times(n, () => ({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })),
    }),
  'tool calls of one message, and their results': (n) =>
    conversation({ role: 'assistant', tool_calls: times(n, call) }, ...times(n, result)),
  'tool calls, each with its result': (n) =>
    conversation(...times(n, (i) => [{ role: 'assistant', tool_calls: [call(i)] }, result(i)]).flat()),
  'tool calls with signatures of another provider': (n) =>
    conversation(
      {
        role: 'assistant',
        tool_calls: times(n, (i) => ({
          ...call(i),
          extra_content: { google: { thought_signature: wrapOpaque({ origin: 'openai-chat', data: 'x' }, 'gemini') } },
        })),
      },
      ...times(n, result),
    ),
  'custom tool calls, and their results': (n) =>
    conversation(
      {
        role: 'assistant',
        tool_calls: times(n, (i) => ({ id: `call_${i}`, type: 'custom', custom: { name: 'f', input: 'x' } })),
      },
      ...times(n, result),
    ),
  'function calls, and their results': (n) =>
    conversation(
      ...times(n, () => ({ role: 'assistant', content: null, function_call: CALL })),
      ...times(n, () => ({ role: 'function', name: 'f', content: 'done' })),
    ),
  'parts of a result': (n) =>
    conversation(
      { role: 'assistant', tool_calls: [call(0)] },
      { ...result(0), content: times(n, () => ({ type: 'text', text: 'x' })) },
    ),
  'images of a result': (n) =>
    conversation(
      { role: 'assistant', tool_calls: [call(0)] },
      {
        ...result(0),
        content: times(n, () => ({ type: 'image_url', image_url: { url: 'https://images.example/a.png' } })),
      },
    ),
  'details of reasoning': (n) =>
    conversation({
      role: 'assistant',
      content: 'Hello',
      reasoning_details: times(n, (i) => ({ type: 'reasoning.text', text: 'x', signature: 'own', index: i })),
    }),
  'details of reasoning that go on': (n) =>
    conversation({
      role: 'assistant',
      content: 'Hello',
      reasoning_details: times(n, () => ({ type: 'reasoning.text', text: 'x', index: 0 })),
    }),
  'details of reasoning of another provider': (n) =>
    conversation(
      ...times(n, () => ({
        role: 'assistant',
        content: 'Hello',
        reasoning_details: [{ type: 'reasoning.encrypted', data: FOREIGN }],
      })),
    ),
  annotations: (n) =>
    conversation({
      role: 'assistant',
      content: 'Hello',
      annotations: times(n, () => ({ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } })),
    }),
  functions: (n) => chat({ functions: times(n, (i) => ({ name: `f_${i}`, parameters: { type: 'object' } })) }),
  'tools that the provider runs': (n) =>
    chat({
      tools: times(Math.min(n, 1_000), (i) =>
        i % 2 === 0 ? { type: 'web_search' } : { type: 'function', function: { name: `f_${i}` } },
      ),
    }),
  'tools that may be called': (n) =>
    chat({
      tools: times(1_000, (i) => ({ type: 'function', function: { name: `f_${i}` } })),
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: times(n, (i) => ({ type: 'function', function: { name: `f_${i % 1_000}` } })),
        },
      },
    }),
  'properties of a strict tool': (n) =>
    chat({ tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: wideSchema(n) } }] }),
  'properties of a strict format': (n) =>
    chat({
      response_format: { type: 'json_schema', json_schema: { name: 'f', strict: true, schema: wideSchema(n) } },
    }),
  'token biases': (n) => chat({ logit_bias: Object.fromEntries(times(n, (i) => [String(i), 1])) }),
  metadata: (n) => chat({ metadata: members(n, () => 'x') }),
  modalities: (n) => chat({ modalities: times(n, () => 'text') }),
  'parts of a prediction': (n) =>
    chat({ prediction: { type: 'content', content: times(n, () => ({ type: 'text', text: 'x' })) } }),
  'unknown fields': (n) => chat(members(n, () => 1)),
  'messages that are malformed': (n) => chat({ messages: times(n, () => ({ role: 'user', content: 1 })) }),
  'parts that are malformed': (n) => conversation({ role: 'user', content: times(n, () => ({ type: 'text' })) }),
};
