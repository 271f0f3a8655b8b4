import { describe, expect, test } from 'vitest';
import {
  bodyOf,
  clientRequest,
  conversationAfter,
  forwarded,
  parseText,
} from '../../../testing/anthropic-messages/requests.ts';
import { type Opaque, wrapOpaque } from '../../canonical/opaque.ts';
import type { JsonRecord } from '../../json/record.ts';
import { UNSIGNED } from '../shared/reasoning.ts';

const TOOL = { name: 'f', input_schema: { type: 'object' } };
const SEARCH = { type: 'web_search_20250305', name: 'web_search' };

const DISPATCH = { upstreamModel: 'claude', outputTokens: undefined };

function paths(diagnostics: readonly { readonly path: string }[]): string[] {
  return diagnostics.map((warning) => warning.path);
}

/** Options are refused for models without a price for them. */
function refused(members: JsonRecord): string[] {
  const { errors, options } = clientRequest(members).policy;
  return paths([...errors, ...options.filter(({ isOpen }) => !isOpen)]);
}

describe('what costs more than the list price', () => {
  test.each([
    [{ service_tier: 'auto', speed: 'standard', inference_geo: 'global', fallbacks: [], compaction: null }, []],
    [{ billing_policy: { type: 'billing_policy', bill_to: 'self' } }, []],
    [
      { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'clear_thinking_20251015' }] } },
      [],
    ],
    [{ cache_control: { type: 'ephemeral', ttl: '1h' } }, []],
    [{ service_tier: 'priority' }, ['service_tier']],
    [{ speed: 'fast' }, ['speed']],
    [{ inference_geo: 'us' }, ['inference_geo']],
    [{ fallbacks: 'default' }, ['fallbacks']],
    [{ fallbacks: [{ model: 'other' }] }, ['fallbacks']],
    [{ models: ['other'] }, ['models']],
    [{ plugins: [{ id: 'web' }] }, ['plugins']],
    [{ fallback_credit_token: 'token' }, ['fallback_credit_token']],
    [{ compaction: { type: 'summarize' } }, ['compaction']],
    [{ billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }, ['billing_policy']],
    [{ context_management: { edits: [{ type: 'compact_20260112' }] } }, ['context_management.edits[0]']],
  ])('%j: %j', (members, expected) => {
    expect(refused(members)).toEqual(expected);
  });
});

describe('objects stored in the provider’s account', () => {
  const file = { type: 'file', file_id: 'file_1' };
  test.each<[JsonRecord, string[]]>([
    [{ container: 'container_1' }, ['container']],
    [{ container: { id: 'container_1' } }, ['container.id']],
    [{ container: { skills: [{ type: 'custom', skill_id: 'skill_1' }] } }, ['container.skills[0]']],
    [{ thread: { type: 'create' } }, ['thread']],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', source: file }] }] },
      ['messages[0].content[0].source.file_id'],
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'file_1' }] }] },
      ['messages[0].content[0].file_id'],
    ],
    [
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'document', source: file }] }],
          },
        ],
      },
      ['messages[0].content[0].content[0].source.file_id'],
    ],
    [conversationAfter([{ type: 'tool_use', id: 'a', name: 'f', input: { file_id: 'my own' } }]), []],
  ])('%j', (members, expected) => {
    expect(refused(members)).toEqual(expected);
  });

  test.each(['create', 'continue'])('tells SDKs to go on without a thread, of type %s', (type) => {
    const { errors } = clientRequest({ thread: { type, previous_message_id: 'msg_1' } }).policy;
    expect(errors.map(({ details }) => details)).toEqual([
      { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    ]);
  });

  test('drops ids of earlier responses for diagnosis with a warning', () => {
    const request = clientRequest({ diagnostics: { previous_message_id: 'msg_1' } });
    expect(paths(request.policy.warnings)).toEqual(['diagnostics']);
    expect(forwarded(request)).toEqual(bodyOf({}));
  });
});

describe('tools run by the provider', () => {
  test('are dropped with a warning if only declared', () => {
    const request = clientRequest({
      tools: [TOOL, SEARCH, { type: 'bash_20250124', name: 'bash' }],
      tool_choice: { type: 'any' },
    });
    expect(request.policy.errors).toEqual([]);
    expect(request.policy.warnings.map(({ message }) => message)).toEqual([
      'tools[1]: left out, since web search is not available for this model',
    ]);
    expect(forwarded(request)['tools']).toEqual([TOOL, { type: 'bash_20250124', name: 'bash' }]);
  });

  test('remove the choice too if no other tool is left', () => {
    const request = clientRequest({ tools: [SEARCH], tool_choice: { type: 'auto' } });
    expect(forwarded(request)).toEqual(bodyOf({}));
  });

  test.each([
    { tools: [SEARCH], tool_choice: { type: 'any' } },
    { tools: [SEARCH, TOOL], tool_choice: { type: 'tool', name: 'web_search' } },
  ])('are rejected if forced: %j', (members) => {
    expect(refused(members)).toEqual(['tools[0]']);
  });

  test('leave the others unchanged, except for settings that depend on them', () => {
    const own =
      '{ "name":"f","defer_loading":true, "allowed_callers":["code_execution_20250825"],"input_schema":{"type":"object","maximum":1.0}}';
    const others =
      '{"type":"tool_search_tool_regex_20251119","name":"s"},{"type":"code_execution_20250825","name":"c"}';
    const text = JSON.stringify(bodyOf({})).replace('}]}', `}],"tools":[${own},${others}]}`);
    const sent = parseText(text).editRequest({ upstreamModel: 'claude', outputTokens: undefined }).toString();
    expect(sent).toContain('"tools":[{ "name":"f","input_schema":{"type":"object","maximum":1.0}}]');
  });

  test('tool servers are dropped too', () => {
    const server = { type: 'url', name: 'a', url: 'https://a.example' };
    const request = clientRequest({ mcp_servers: [server], tools: [{ type: 'mcp_toolset', mcp_server_name: 'a' }] });
    expect(paths(request.policy.warnings)).toEqual(['mcp_servers', 'tools[0]']);
    expect(forwarded(request)).toEqual(bodyOf({}));
  });

  test('may not be added within the conversation', () => {
    const tool = { type: 'tool_definition', definition: SEARCH };
    const message = { role: 'system', content: [{ type: 'tool_addition', tool }] };
    expect(refused({ messages: [{ role: 'user', content: 'Hi' }, message] })).toEqual(['messages[1].content[0].tool']);
  });
});

describe('reasoning of another provider’s model', () => {
  const wrapped = wrapOpaque({ origin: 'gemini', data: 'abc' }, 'anthropic-messages');
  const own = { type: 'thinking', thinking: 'Hm', signature: 'EqMC' };
  const foreign = { type: 'thinking', thinking: 'Hm', signature: wrapped };
  const text = { type: 'text', text: 'Hello' };
  const OF_CALL: Opaque = { origin: 'gemini', data: 'abc', of: { call: 'a' } };

  test('is removed for Anthropic, with a warning', () => {
    const unsigned = { type: 'thinking', thinking: 'Hm', signature: '' };
    const redacted = { type: 'redacted_thinking', data: wrapped };
    const named = { type: 'thinking', thinking: '', signature: wrapOpaque(OF_CALL, 'anthropic-messages') };
    const marked = { type: 'thinking', thinking: 'Hm', signature: UNSIGNED };
    const { signature: _none, ...bare } = unsigned;
    const request = clientRequest(conversationAfter([own, foreign, unsigned, bare, redacted, named, marked, text]));
    expect(paths(request.adjustmentWarnings(DISPATCH))).toEqual(['messages[1]']);
    expect(request.policy.warnings).toEqual([]);
    expect(forwarded(request)['messages']).toEqual(conversationAfter([own, text])['messages']);
  });

  test('removes a turn that has nothing else', () => {
    expect(forwarded(clientRequest(conversationAfter([foreign])))['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Go on' },
    ]);
  });

  test('a request with only own reasoning keeps its bytes', () => {
    const request = clientRequest(conversationAfter([own, text]));
    expect(request.adjustmentWarnings(DISPATCH)).toEqual([]);
    expect(forwarded(request)).toEqual(bodyOf(conversationAfter([own, text])));
  });

  test('removes a thinking budget if the turn that calls a tool has no reasoning left', () => {
    const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    const request = clientRequest({ ...conversationAfter([foreign, call]), thinking });
    expect(paths(request.adjustmentWarnings(DISPATCH))).toEqual(['messages[1]', 'thinking']);
    expect(forwarded(request)['thinking']).toBeUndefined();
    expect(forwarded(clientRequest({ ...conversationAfter([foreign, own, call]), thinking }))['thinking']).toEqual(
      thinking,
    );
    const clamped = request.editRequest({ upstreamModel: 'claude', outputTokens: 1_024 });
    expect(JSON.parse(clamped.toString())).not.toHaveProperty('thinking');
  });

  test('stays for a provider that takes it without a signature', () => {
    const redacted = { type: 'redacted_thinking', data: wrapped };
    const empty = { type: 'thinking', thinking: '', signature: wrapped };
    const unsigned = { type: 'thinking', thinking: 'Hm', signature: '' };
    const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    const dispatch = { ...DISPATCH, parameters: { unsignedThinking: true } };
    const request = clientRequest({ ...conversationAfter([foreign, unsigned, own, redacted, empty, call]), thinking });
    expect(request.adjustmentWarnings(dispatch)).toEqual([]);
    const sent: JsonRecord = JSON.parse(request.editRequest(dispatch).toString());
    expect(sent['messages']).toEqual(conversationAfter([unsigned, unsigned, own, call])['messages']);
    expect(sent['thinking']).toEqual(thinking);
    expect(paths(request.adjustmentWarnings(DISPATCH))).toEqual(['messages[1]']);
  });

  test('drops generated citations, keeps Anthropic’s own', () => {
    const made = { type: 'web_search_result_location', url: 'https://a.example', encrypted_index: '' };
    const given = { ...made, encrypted_index: 'Eo8' };
    const request = clientRequest(
      conversationAfter([
        { ...text, citations: [made] },
        { ...text, citations: [given] },
      ]),
    );
    expect(forwarded(request)['messages']).toEqual(
      conversationAfter([text, { ...text, citations: [given] }])['messages'],
    );
  });
});

describe('a limit set by the balance', () => {
  const thinking = { type: 'enabled', budget_tokens: 4_000 };
  test.each([
    [4_001, thinking],
    [3_000, { type: 'enabled', budget_tokens: 2_999 }],
    [1_024, { type: 'disabled' }],
  ])('%d leaves room for %j', (outputTokens, expected) => {
    const sent = JSON.parse(
      clientRequest({ thinking }).editRequest({ upstreamModel: 'claude', outputTokens }).toString(),
    );
    expect(sent).toEqual(bodyOf({ max_tokens: outputTokens, thinking: expected }));
  });
});
