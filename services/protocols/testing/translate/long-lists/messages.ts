import { wrapOpaque } from '../../../src/canonical/opaque.ts';
import type { JsonRecord } from '../../../src/json/record.ts';
import { type LongLists, members, times, wideSchema } from './list.ts';

const HI = { role: 'user', content: 'Hi' };
const FOREIGN = wrapOpaque({ origin: 'gemini', data: 'c2ln' }, 'anthropic-messages');

function messages(fields: JsonRecord): JsonRecord {
  return { model: 'model-here', max_tokens: 4_096, messages: [HI], ...fields };
}

function conversation(...turns: readonly JsonRecord[]): JsonRecord {
  return messages({ messages: [HI, ...turns, HI] });
}

function said(role: 'user' | 'assistant', ...content: readonly JsonRecord[]): JsonRecord {
  return conversation({ role, content });
}

function call(i: number): JsonRecord {
  return { type: 'tool_use', id: `call_${i}`, name: 'f', input: { a: 1 } };
}

function result(i: number): JsonRecord {
  return { type: 'tool_result', tool_use_id: `call_${i}`, content: 'done' };
}

function thought(signature: string): JsonRecord {
  return { type: 'thinking', thinking: 'Hm', signature };
}

const RESPONSE = { type: 'text', text: 'Hello' };
const IMAGE = { type: 'image', source: { type: 'url', url: 'https://images.example/a.png' } };

/** The lists of a request of the messages protocol. */
export const MESSAGES_LISTS: LongLists = {
  'messages of the user': (n) => conversation(...times(n, () => HI)),
  'messages in turns': (n) => conversation(...times(n, (i) => ({ ...HI, role: i % 2 === 0 ? 'assistant' : 'user' }))),
  'messages of the assistant': (n) => conversation(...times(n, () => ({ role: 'assistant', content: 'Hello' }))),
  'messages of the system': (n) => conversation(...times(n, () => ({ role: 'system', content: 'Be kind.' }))),
  'blocks of the user': (n) => said('user', ...times(n, () => ({ type: 'text', text: 'x' }))),
  'blocks of the assistant': (n) => said('assistant', ...times(n, () => ({ type: 'text', text: 'x' }))),
  'blocks of the system prompt': (n) => messages({ system: times(n, () => ({ type: 'text', text: 'x' })) }),
  'blocks with marks for the cache': (n) =>
    said('user', ...times(n, () => ({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }))),
  'unknown members of a block': (n) => said('user', { type: 'text', text: 'x', ...members(n, () => 1) }),
  images: (n) => said('user', ...times(n, () => IMAGE)),
  documents: (n) =>
    said(
      'user',
      ...times(n, () => ({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } })),
    ),
  'blocks of a document': (n) =>
    said('user', {
      type: 'document',
      source: { type: 'content', content: times(n, () => ({ type: 'text', text: 'x' })) },
    }),
  'blocks of a search result': (n) =>
    said('user', {
      type: 'search_result',
      source: 'https://a.example',
      title: 'A',
      content: times(n, () => ({ type: 'text', text: 'x' })),
    }),
  'calls of one message, and their results': (n) =>
    conversation({ role: 'assistant', content: times(n, call) }, { role: 'user', content: times(n, result) }),
  'calls, each with its result': (n) =>
    conversation(
      ...times(n, (i) => [
        { role: 'assistant', content: [call(i)] },
        { role: 'user', content: [result(i)] },
      ]).flat(),
    ),
  'results that failed': (n) =>
    conversation(
      { role: 'assistant', content: times(n, call) },
      { role: 'user', content: times(n, (i) => ({ ...result(i), is_error: true, content: [IMAGE] })) },
    ),
  'blocks of a result': (n) =>
    conversation(
      { role: 'assistant', content: [call(0)] },
      { role: 'user', content: [{ ...result(0), content: times(n, () => ({ type: 'text', text: 'x' })) }] },
    ),
  'images of a result': (n) =>
    conversation(
      { role: 'assistant', content: [call(0)] },
      { role: 'user', content: [{ ...result(0), content: times(n, () => IMAGE) }] },
    ),
  'own thoughts of one message': (n) => said('assistant', ...times(n, () => thought('own')), RESPONSE),
  'thoughts of another provider in one message': (n) =>
    said('assistant', ...times(n, () => thought(FOREIGN)), RESPONSE),
  'messages with thoughts of another provider': (n) =>
    conversation(...times(n, () => ({ role: 'assistant', content: [thought(FOREIGN), RESPONSE] }))),
  'thoughts without an answer': (n) => said('assistant', ...times(n, () => thought('own'))),
  citations: (n) =>
    said('assistant', {
      ...RESPONSE,
      citations: times(n, () => ({
        type: 'web_search_result_location',
        url: 'https://a.example',
        title: 'A',
        cited_text: 'x',
        encrypted_index: 'x',
      })),
    }),
  'messages with citations made here': (n) =>
    conversation(
      ...times(n, () => ({
        role: 'assistant',
        content: [
          {
            ...RESPONSE,
            citations: [
              {
                type: 'web_search_result_location',
                url: 'https://a.example',
                title: '',
                cited_text: '',
                encrypted_index: '',
              },
            ],
          },
        ],
      })),
    ),
  tools: (n) => messages({ tools: times(n, (i) => ({ name: `f_${i}`, input_schema: { type: 'object' } })) }),
  'tools that the provider runs': (n) =>
    messages({
      tools: times(n, (i) =>
        i % 2 === 0
          ? { type: 'web_search_20250305', name: 'web_search' }
          : { name: `f_${i}`, input_schema: { type: 'object' }, defer_loading: true },
      ),
    }),
  'references to tools': (n) =>
    conversation(
      { role: 'assistant', content: [call(0)] },
      {
        role: 'user',
        content: [{ ...result(0), content: times(n, () => ({ type: 'tool_reference', tool_name: 'f' })) }],
      },
    ),
  'properties of a tool': (n) => messages({ tools: [{ name: 'f', strict: true, input_schema: wideSchema(n) }] }),
  'properties of a format': (n) =>
    messages({ output_config: { format: { type: 'json_schema', schema: wideSchema(n) } } }),
  'stop sequences': (n) => messages({ stop_sequences: times(n, (i) => `stop ${i}`) }),
  'servers of tools': (n) => messages({ mcp_servers: times(n, () => ({ type: 'url', url: 'https://a.example' })) }),
  'edits of the context': (n) =>
    messages({ context_management: { edits: times(n, () => ({ type: 'clear_tool_uses_20250919' })) } }),
  skills: (n) => messages({ container: { skills: times(n, () => ({ type: 'anthropic', skill_id: 'pdf' })) } }),
  'unknown fields': (n) => messages(members(n, () => 1)),
  'messages that are malformed': (n) => messages({ messages: times(n, () => ({ role: 'user', content: 1 })) }),
  'blocks that are malformed': (n) => said('user', ...times(n, () => ({ type: 'text' }))),
};
