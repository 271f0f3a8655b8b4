import { describe, expect, test } from 'vitest';
import { type HostedUses, NO_HOSTED_USES } from '../../interface/hosted-tools.ts';
import { splice } from '../../json/splice.ts';
import { runToEnd } from '../../lists/stages.ts';
import { parseRequest } from './parse.ts';
import { checkPolicy } from './policy.ts';

const MESSAGES = [{ role: 'user', content: 'hi' }];

function checked(fields: object, hostedUses: HostedUses = NO_HOSTED_USES) {
  const result = runToEnd(parseRequest(Buffer.from(JSON.stringify({ model: 'm', messages: MESSAGES, ...fields }))));
  if (!result.ok) throw new Error(result.error.message);
  const policy = checkPolicy(result.parsed, hostedUses);
  const body: unknown = JSON.parse(splice(result.parsed.object, policy.edits).toString());
  return {
    // Options are refused for models without a price for them.
    refused: [...policy.errors, ...policy.options.filter(({ isOpen }) => !isOpen)].map(({ path }) => path),
    warned: policy.warnings.map((warning) => warning.path),
    body,
  };
}

const FUNCTION = { type: 'function', function: { name: 'f' } };
const SEARCH = { type: 'web_search' };

describe('searches by the provider', () => {
  const fields = { web_search_options: { search_context_size: 'low' } };

  test('are left out', () => {
    const body = { model: 'm', messages: MESSAGES };
    expect(checked(fields)).toEqual({ refused: [], warned: ['web_search_options'], body });
  });

  test('pass if they are allowed', () => {
    const body = { model: 'm', messages: MESSAGES, ...fields };
    expect(checked(fields, { search: 1 })).toEqual({ refused: [], warned: [], body });
  });
});

describe('checkPolicy', () => {
  test('passes a plain request unchanged', () => {
    const fields = {
      service_tier: 'auto',
      modalities: ['text'],
      store: false,
      tools: [FUNCTION],
      best_of: 1,
      cache_control: { type: 'ephemeral', ttl: '5m' },
      plugins: null,
    };
    expect(checked(fields)).toEqual({ refused: [], warned: [], body: { model: 'm', messages: MESSAGES, ...fields } });
    expect(checked({ service_tier: 'default' }).refused).toEqual([]);
  });

  test.each([
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ service_tier: 'fast' }, 'service_tier'],
    [{ service_tier: 'flex' }, 'service_tier'],
    [{ service_tier: 'tier-of-tomorrow' }, 'service_tier'],
    [{ modalities: ['text', 'audio'] }, 'modalities[1]'],
    [{ audio: { voice: 'alloy', format: 'wav' } }, 'audio'],
    [{ prompt_cache_options: { ttl: '1h' } }, 'prompt_cache_options.ttl'],
    [{ cache_control: { ttl: '24h' } }, 'cache_control.ttl'],
    [{ best_of: 3 }, 'best_of'],
    [{ speed: 'fast' }, 'speed'],
    [{ models: ['dear-model'] }, 'models'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      'messages[0].content[0].file.file_id',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', file_id: 'file-1' }] }] },
      'messages[0].content[0].file_id',
    ],
    [{ messages: [...MESSAGES, { role: 'assistant', audio: { id: 'audio_1' } }] }, 'messages[1].audio.id'],
  ])('rejects %j, naming the field', (fields, path) => {
    expect(checked(fields).refused).toEqual([path]);
  });

  test('sends store as false and drops metadata, with warnings', () => {
    expect(checked({ store: true, metadata: { a: 'b' }, user: 'u' })).toEqual({
      refused: [],
      warned: ['store', 'metadata'],
      body: { model: 'm', messages: MESSAGES, store: false, user: 'u' },
    });
  });

  test('drops provider-run tools that are only declared', () => {
    const { refused, warned, body } = checked({
      tools: [SEARCH, FUNCTION, { type: 'code, "x"]' }],
      tool_choice: 'auto',
    });
    expect({ refused, warned }).toEqual({ refused: [], warned: ['tools[0]', 'tools[2]'] });
    expect(body).toEqual({ model: 'm', messages: MESSAGES, tools: [FUNCTION], tool_choice: 'auto' });
  });

  test('drops the list, and fields that refer to it, if nothing of it is left', () => {
    const { refused, body } = checked({ tools: [SEARCH], tool_choice: 'auto', parallel_tool_calls: true });
    expect(refused).toEqual([]);
    expect(body).toEqual({ model: 'm', messages: MESSAGES });
  });

  test.each([
    [{ tools: [SEARCH], tool_choice: 'required' }],
    [{ tools: [FUNCTION, SEARCH], tool_choice: { type: 'web_search' } }],
    [{ tools: [SEARCH], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [SEARCH] } } }],
  ])('rejects a forced provider-run tool: %j', (fields) => {
    expect(checked(fields).refused).toEqual([`tools[${fields.tools.indexOf(SEARCH)}]`]);
  });

  test('does not confuse a forced function with a provider-run tool', () => {
    const choice = { type: 'function', function: { name: 'f' } };
    expect(checked({ tools: [FUNCTION, SEARCH], tool_choice: choice }).refused).toEqual([]);
    expect(checked({ tools: [FUNCTION, SEARCH], tool_choice: 'required' }).refused).toEqual([]);
  });
});
