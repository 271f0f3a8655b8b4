import { wrapOpaque } from '../../../src/canonical/opaque.ts';
import type { JsonRecord } from '../../../src/json/record.ts';
import { type LongLists, members, times, wideSchema } from './list.ts';

const HI = { role: 'user', content: 'Hi' };
const FOREIGN = wrapOpaque({ origin: 'gemini', data: 'c2ln' }, 'openai-responses');

function responses(fields: JsonRecord): JsonRecord {
  return { model: 'model-here', input: 'Hi', ...fields };
}

function items(...input: readonly JsonRecord[]): JsonRecord {
  return responses({ input: [HI, ...input, HI] });
}

function call(i: number): JsonRecord {
  return { type: 'function_call', call_id: `call_${i}`, name: 'f', arguments: '{"a":1.0}' };
}

function result(i: number): JsonRecord {
  return { type: 'function_call_output', call_id: `call_${i}`, output: 'done' };
}

/** The lists of a request to create a response. */
export const RESPONSES_LISTS: LongLists = {
  'messages of the user': (n) => items(...times(n, () => HI)),
  'messages in turns': (n) => items(...times(n, (i) => ({ ...HI, role: i % 2 === 0 ? 'assistant' : 'user' }))),
  'messages of the assistant': (n) => items(...times(n, () => ({ role: 'assistant', content: 'Hello' }))),
  'messages of the developer': (n) => items(...times(n, () => ({ role: 'developer', content: 'Be kind.' }))),
  'parts of the user': (n) => items({ role: 'user', content: times(n, () => ({ type: 'input_text', text: 'x' })) }),
  'parts of the developer': (n) =>
    items({ role: 'developer', content: times(n, () => ({ type: 'input_text', text: 'x' })) }),
  'parts of the assistant': (n) =>
    items({ role: 'assistant', content: times(n, () => ({ type: 'output_text', text: 'x', annotations: [] })) }),
  annotations: (n) =>
    items({
      role: 'assistant',
      content: [
        {
          type: 'output_text',
          text: 'x',
          annotations: times(n, () => ({ type: 'url_citation', url: 'https://a.example', title: 'A' })),
        },
      ],
    }),
  images: (n) =>
    items({
      role: 'user',
      content: times(n, () => ({ type: 'input_image', image_url: 'https://images.example/a.png' })),
    }),
  files: (n) =>
    items({
      role: 'user',
      content: times(n, () => ({
        type: 'input_file',
        filename: 'a.pdf',
        file_data: 'data:application/pdf;base64,AAAA',
      })),
    }),
  'calls, then their results': (n) => items(...times(n, call), ...times(n, result)),
  'calls, each with its result': (n) => items(...times(n, (i) => [call(i), result(i)]).flat()),
  'custom calls, then their results': (n) =>
    items(
      ...times(n, (i) => ({ type: 'custom_tool_call', call_id: `call_${i}`, name: 'f', input: 'x' })),
      ...times(n, (i) => ({ type: 'custom_tool_call_output', call_id: `call_${i}`, output: 'done' })),
    ),
  'parts of a result': (n) =>
    items(call(0), { ...result(0), output: times(n, () => ({ type: 'input_text', text: 'x' })) }),
  'thoughts of its own provider': (n) =>
    items(...times(n, (i) => ({ type: 'reasoning', id: `rs_${i}`, summary: [], encrypted_content: 'own' }))),
  'thoughts of another provider': (n) =>
    items(...times(n, (i) => ({ type: 'reasoning', id: `rs_${i}`, summary: [], encrypted_content: FOREIGN }))),
  'parts of a summary': (n) =>
    items({
      type: 'reasoning',
      id: 'rs_1',
      summary: times(n, () => ({ type: 'summary_text', text: 'x' })),
      encrypted_content: 'own',
    }),
  'runs of tools at the provider': (n) => items(...times(n, (i) => ({ type: 'web_search_call', id: `ws_${i}` }))),
  'items of other types': (n) => items(...times(n, () => ({ type: 'compaction', encrypted_content: 'x' }))),
  'tools declared in the input': (n) =>
    items({ type: 'additional_tools', tools: times(n, (i) => ({ type: 'function', name: `f_${i}` })) }),
  'tools of a namespace': (n) =>
    responses({
      tools: [{ type: 'namespace', name: 'space', tools: times(n, (i) => ({ type: 'function', name: `f_${i}` })) }],
    }),
  'tools that the provider runs': (n) =>
    responses({
      tools: times(Math.min(n, 1_000), (i) =>
        i % 2 === 0 ? { type: 'web_search' } : { type: 'function', name: `f_${i}` },
      ),
    }),
  'tools that may be called': (n) =>
    responses({
      tools: times(1_000, (i) => ({ type: 'function', name: `f_${i}` })),
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: times(n, (i) => ({ type: 'function', name: `f_${i % 1_000}` })),
      },
    }),
  'properties of a strict tool': (n) =>
    responses({ tools: [{ type: 'function', name: 'f', strict: true, parameters: wideSchema(n) }] }),
  'properties of a strict format': (n) =>
    responses({ text: { format: { type: 'json_schema', name: 'f', strict: true, schema: wideSchema(n) } } }),
  include: (n) => responses({ include: times(n, () => 'reasoning.encrypted_content') }),
  metadata: (n) => responses({ metadata: members(n, () => 'x') }),
  'edits of the context': (n) => responses({ context_management: times(n, () => ({ type: 'compaction' })) }),
  'unknown fields': (n) => responses(members(n, () => 1)),
  'unknown members of a tool': (n) => responses({ tools: [{ type: 'function', name: 'f', ...members(n, () => 1) }] }),
  'items that are malformed': (n) => responses({ input: times(n, () => ({ role: 'user', content: 1 })) }),
  'parts that are malformed': (n) => items({ role: 'user', content: times(n, () => ({ type: 'input_text' })) }),
};
