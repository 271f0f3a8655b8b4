import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../lists/stages.ts';
import { openaiResponses } from '../index.ts';
import { parseRequest } from './parse.ts';
import { checkPolicy } from './policy.ts';

function policy(body: Record<string, unknown>) {
  const result = runToEnd(parseRequest(Buffer.from(JSON.stringify({ model: 'm', input: 'hi', ...body }))));
  if (!result.ok) throw new Error(result.error.message);
  return checkPolicy(result.parsed);
}

function forwarded(body: Record<string, unknown>): Record<string, unknown> {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', input: 'hi', ...body }));
  const result = runToEnd(openaiResponses.parseRequest(bytes, { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return JSON.parse(result.request.editRequest({ upstreamModel: 'm', outputTokens: undefined }).toString());
}

const FUNCTION = { type: 'function', name: 'f', parameters: {}, strict: false };

describe('checkPolicy', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['background', { background: true }, 'background'],
    ['reasoning at a higher rate', { reasoning: { mode: 'pro' } }, 'reasoning.mode'],
    ['a cache of unknown lifetime', { prompt_cache_options: { ttl: '1h' } }, 'prompt_cache_options.ttl'],
    [
      'one of one part',
      {
        input: [
          {
            role: 'user',
            content: [{ type: 'input_text', text: 't', prompt_cache_breakpoint: { mode: 'explicit', ttl: '24h' } }],
          },
        ],
      },
      'input[0].content[0].prompt_cache_breakpoint.ttl',
    ],
    ['several choices', { n: 2 }, 'n'],
    ['other output than text', { modalities: ['text', 'audio'] }, 'modalities[1]'],
    ["the account's programs", { access_programs: { cyber: 'daybreak_red' } }, 'access_programs.cyber'],
    ['an earlier response', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a conversation', { conversation: 'conv_1' }, 'conversation'],
    ['a stored prompt', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    [
      'a response to compare with',
      { prompt_cache_options: { comparison_response_id: 'r' } },
      'prompt_cache_options.comparison_response_id',
    ],
    [
      'an uploaded file',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
      'input[0].content[0].file_id',
    ],
    [
      'an uploaded image in a result',
      { input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', file_id: 'file-1' }] }] },
      'input[0].output[0].file_id',
    ],
    [
      'an uploaded screenshot',
      {
        input: [{ type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', file_id: 'f' } }],
      },
      'input[0].output.file_id',
    ],
    [
      'a container',
      {
        input: [
          {
            type: 'shell_call',
            call_id: 'c',
            action: {},
            environment: { type: 'container_reference', container_id: 'k' },
          },
        ],
      },
      'input[0].environment.container_id',
    ],
    ['a call for a summary', { input: [{ type: 'compaction_trigger' }] }, 'input[0]'],
    ['a forced search', { tools: [FUNCTION, { type: 'web_search' }], tool_choice: { type: 'web_search' } }, 'tools[1]'],
    ['a search that is all there is', { tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'tools[0]'],
    ['a forced tool that is not there', { tool_choice: { type: 'mcp', server_label: 's' } }, 'tool_choice'],
    [
      'a search among the allowed',
      { tools: [FUNCTION], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'file_search' }] } },
      'tool_choice',
    ],
  ])('rejects %s', (_, body, path) => {
    const [refusal] = policy(body).errors;
    expect(refusal).toMatchObject({ path });
    expect(refusal?.message.startsWith(`${path}: `)).toBe(true);
  });

  test('leaves a tier to the price of the model', () => {
    const listed = ['auto', 'default'];
    const option = { name: 'service_tier', value: 'flex', path: 'service_tier', isOpen: false, listed };
    expect(policy({ service_tier: 'flex' })).toMatchObject({ errors: [], options: [option] });
    expect(policy({ service_tier: 'auto' }).options).toEqual([{ ...option, value: 'auto', isOpen: true }]);
    expect(policy({ service_tier: 'fast' }).options).toEqual([{ ...option, value: 'priority' }]);
    expect(policy({ service_tier: 'default' }).options).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['values at list price', { service_tier: 'default', background: false, reasoning: { mode: 'standard' }, n: 1 }],
    [
      'a cache of the usual lifetime',
      { prompt_cache_options: { mode: 'explicit', ttl: '30m' }, prompt_cache_retention: '24h' },
    ],
    [
      'tools that the client runs',
      {
        tools: [
          FUNCTION,
          { type: 'custom', name: 'c' },
          { type: 'local_shell' },
          { type: 'apply_patch' },
          { type: 'shell', environment: { type: 'local' } },
          { type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'browser' },
          { type: 'tool_search', execution: 'client' },
          { type: 'namespace', name: 'n', description: 'd', tools: [FUNCTION] },
        ],
        tool_choice: { type: 'function', name: 'f' },
      },
    ],
    ['metadata', { metadata: { a: 'b' } }],
  ])('passes %s', (_, body) => {
    expect(policy(body)).toMatchObject({ errors: [], warnings: [] });
    expect(forwarded(body)).toMatchObject(body);
  });

  test('drops provider-run tools that are only declared, with a warning for each', () => {
    const tools = [{ type: 'web_search' }, FUNCTION, { type: 'mcp', server_label: 's' }, { type: 'shell' }];
    const body = { tools, tool_choice: 'auto' };
    expect(policy(body).warnings.map(({ path }) => path)).toEqual(['tools[0]', 'tools[2]', 'tools[3]']);
    expect(forwarded(body)).toMatchObject({ tools: [FUNCTION], tool_choice: 'auto' });
    const alone = forwarded({ tools: [{ type: 'web_search' }], tool_choice: 'auto', parallel_tool_calls: true });
    expect(Object.keys(alone).sort()).toEqual(['input', 'model', 'store']);
  });

  test('drops provider-run tools that an item declares, and takes schemas with members of any name', () => {
    const own = { ...FUNCTION, parameters: { type: 'object', properties: { file_id: { type: 'string' } } } };
    const item = { type: 'additional_tools', role: 'developer', tools: [own, { type: 'web_search' }] };
    const input = [item, { role: 'user', content: 'hi' }];
    expect(policy({ input }).errors).toEqual([]);
    expect(policy({ input }).warnings.map(({ path }) => path)).toEqual(['input[0].tools[1]']);
    expect(forwarded({ input })).toMatchObject({ input: [{ ...item, tools: [own] }, input[1]] });
  });

  test('drops earlier actions of provider-run tools', () => {
    const user = { role: 'user', content: 'hi' };
    const input = [user, { type: 'web_search_call', id: 'ws_1', status: 'completed' }, { type: 'mcp_call', id: 'm' }];
    expect(policy({ input }).warnings.map(({ path }) => path)).toEqual(['input[1]', 'input[2]']);
    expect(forwarded({ input })).toMatchObject({ input: [user] });
  });

  test('drops fields that make the provider shorten a conversation', () => {
    const body = { context_management: [{ type: 'compaction', compact_threshold: 1_000 }] };
    expect(policy(body).warnings.map(({ path }) => path)).toEqual(['context_management']);
    expect(forwarded(body)).toEqual({ model: 'm', input: 'hi', store: false });
  });

  test('stores nothing, with a warning if storage was requested', () => {
    expect(policy({ store: true }).warnings.map(({ path }) => path)).toEqual(['store']);
    expect(policy({ store: false }).warnings).toEqual([]);
    expect(forwarded({ store: true })).toMatchObject({ store: false });
  });
});

test('a cache for 12 hours needs a price, wherever the request asks for it', () => {
  const breakpoint = { mode: 'explicit', ttl: '12h' };
  const part = { type: 'input_text', text: 't', prompt_cache_breakpoint: breakpoint };
  const { errors, cacheWrites } = policy({
    prompt_cache_options: { ttl: '12h' },
    input: [{ role: 'user', content: [part] }],
  });
  expect(errors).toEqual([]);
  expect(cacheWrites).toEqual(
    ['prompt_cache_options.ttl', 'input[0].content[0].prompt_cache_breakpoint.ttl'].map((path) => ({
      bucket: 'cache_write_12h',
      path,
    })),
  );
  expect(policy({ prompt_cache_options: { ttl: '30m' } })).toMatchObject({ errors: [], cacheWrites: [] });
});
