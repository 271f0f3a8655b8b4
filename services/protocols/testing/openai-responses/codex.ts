import type { JsonRecord } from '../../src/json/record.ts';

/*
 * Requests in the shape of Codex 0.169, as captured from its binary, with texts of our own. For models that it knows it
 * searches its tools, or declares them in an item of the input; for others it sends plain functions.
 */

const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false };
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

function fn(name: string, more: JsonRecord = {}): JsonRecord {
  return { type: 'function', name, description: `Does ${name}.`, strict: false, parameters: NO_INPUT, ...more };
}

function message(role: string, text: string): JsonRecord {
  return { type: 'message', id: `msg_${role}`, role, content: [{ type: 'input_text', text }] };
}

const INSTRUCTIONS = message('developer', 'You are a coding agent.');
const PROMPT = message('user', 'What is the weather in Oslo?');

const COMMON: JsonRecord = {
  model: 'neutral-model',
  stream: true,
  tool_choice: 'auto',
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '01a20917-c0ce-7d21-8986-a486f1b573f1',
  client_metadata: { session_id: '01a20917', 'x-codex-turn-metadata': '{"turn":1}' },
};

const PATCH: JsonRecord = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files. This is a freeform tool.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch" /.+/' },
};

const SEARCH: JsonRecord = {
  type: 'tool_search',
  execution: 'client',
  description: 'Searches over deferred tools.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'number' } },
    required: ['query'],
    additionalProperties: false,
  },
};

/** A model whose tools are searched: the first request of a turn. */
export const SEARCHING: JsonRecord = {
  ...COMMON,
  input: [INSTRUCTIONS, PROMPT],
  tools: [fn('exec_command'), PATCH, SEARCH, { type: 'web_search', external_web_access: true }],
  parallel_tool_calls: true,
  reasoning: { effort: 'medium' },
  text: { verbosity: 'low' },
};

const FOUND: JsonRecord = {
  type: 'namespace',
  name: 'mcp__weather',
  description: 'Tools in the mcp__weather namespace.',
  tools: [
    fn('read_weather', { defer_loading: true, parameters: { ...CITY, properties: { file_id: { type: 'string' } } } }),
  ],
};

/** The same turn after a search, a call of a tool that it found, and a patch. */
export const SEARCHED: JsonRecord = {
  ...SEARCHING,
  input: [
    INSTRUCTIONS,
    PROMPT,
    {
      type: 'tool_search_call',
      id: 'tsc_1',
      call_id: 'call_s1',
      status: 'completed',
      execution: 'client',
      arguments: { query: 'weather', limit: 3 },
    },
    {
      type: 'tool_search_output',
      id: 'tso_1',
      call_id: 'call_s1',
      status: 'completed',
      execution: 'client',
      tools: [FOUND],
    },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_f1',
      status: 'completed',
      name: 'read_weather',
      namespace: 'mcp__weather',
      arguments: '{"city":"Oslo"}',
    },
    {
      type: 'function_call_output',
      id: 'fco_1',
      call_id: 'call_f1',
      output: [
        { type: 'input_text', text: 'Wall time: 0.1 seconds' },
        { type: 'input_text', text: 'Sunny' },
      ],
    },
    {
      type: 'tool_search_call',
      id: 'tsc_2',
      call_id: 'call_s2',
      status: 'completed',
      execution: 'client',
      arguments: { query: 'weather' },
    },
    {
      type: 'tool_search_output',
      id: 'tso_2',
      call_id: 'call_s2',
      status: 'completed',
      execution: 'client',
      tools: [FOUND],
    },
    {
      type: 'custom_tool_call',
      id: 'ctc_1',
      call_id: 'call_p1',
      status: 'completed',
      name: 'apply_patch',
      input: '*** Begin Patch\n*** End Patch',
    },
    { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_p1', output: 'Exit code: 0' },
  ],
};

/** A model whose tools are declared in the input, with one call at a time. */
export const DECLARING: JsonRecord = {
  ...COMMON,
  input: [
    {
      type: 'additional_tools',
      id: 'at_1',
      role: 'developer',
      tools: [
        {
          type: 'namespace',
          name: 'functions',
          description: '',
          tools: [{ ...PATCH, name: 'exec', description: 'Runs JavaScript.' }, fn('wait')],
        },
        { type: 'namespace', name: 'collaboration', description: 'Agents.', tools: [fn('list_agents')] },
        { type: 'web_search', external_web_access: true },
      ],
    },
    INSTRUCTIONS,
    PROMPT,
  ],
  parallel_tool_calls: false,
  reasoning: { effort: 'low', context: 'all_turns' },
  text: { verbosity: 'low' },
};
