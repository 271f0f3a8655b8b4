import { describe, expect, test } from 'vitest';
import { wrapOpaque } from '../../canonical/opaque.ts';
import type { JsonRecord } from '../../json/record.ts';
import { bodyOf, clientRequest, conversationAfter, forwarded, parseText } from '../testing/requests.ts';

const TOOL = { name: 'f', input_schema: { type: 'object' } };
const SEARCH = { type: 'web_search_20250305', name: 'web_search' };

function paths(diagnostics: readonly { readonly path: string }[]): string[] {
  return diagnostics.map((warning) => warning.path);
}

function refused(members: JsonRecord): string[] {
  return paths(clientRequest(members).policy.errors);
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
    [{ fallback_credit_token: 'token' }, ['fallback_credit_token']],
    [{ compaction: { type: 'summarize' } }, ['compaction']],
    [{ billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }, ['billing_policy']],
    [{ context_management: { edits: [{ type: 'compact_20260112' }] } }, ['context_management.edits[0]']],
  ])('%j: %j', (members, expected) => {
    expect(refused(members)).toEqual(expected);
  });
});

describe('what is stored in the provider’s account', () => {
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

  test('earlier answers that are named only for diagnosis are left out with a warning', () => {
    const request = clientRequest({ diagnostics: { previous_message_id: 'msg_1' } });
    expect(paths(request.policy.warnings)).toEqual(['diagnostics']);
    expect(forwarded(request)).toEqual(bodyOf({}));
  });
});

describe('tools run by the provider', () => {
  test('are left out with a warning where they are only declared', () => {
    const request = clientRequest({
      tools: [TOOL, SEARCH, { type: 'bash_20250124', name: 'bash' }],
      tool_choice: { type: 'any' },
    });
    expect(request.policy.errors).toEqual([]);
    expect(paths(request.policy.warnings)).toEqual(['tools[1]']);
    expect(forwarded(request)['tools']).toEqual([TOOL, { type: 'bash_20250124', name: 'bash' }]);
  });

  test('take the choice with them where no other tool is left', () => {
    const request = clientRequest({ tools: [SEARCH], tool_choice: { type: 'auto' } });
    expect(forwarded(request)).toEqual(bodyOf({}));
  });

  test.each([
    { tools: [SEARCH], tool_choice: { type: 'any' } },
    { tools: [SEARCH, TOOL], tool_choice: { type: 'tool', name: 'web_search' } },
  ])('are refused where they are forced: %j', (members) => {
    expect(refused(members)).toEqual(['tools[0]']);
  });

  test('leave the others as they stand, but for what only they gave a sense', () => {
    const own =
      '{ "name":"f","defer_loading":true, "allowed_callers":["code_execution_20250825"],"input_schema":{"type":"object","maximum":1.0}}';
    const others =
      '{"type":"tool_search_tool_regex_20251119","name":"s"},{"type":"code_execution_20250825","name":"c"}';
    const text = JSON.stringify(bodyOf({})).replace('}]}', `}],"tools":[${own},${others}]}`);
    const sent = parseText(text).editRequest({ upstreamModel: 'claude', outputTokens: undefined }).toString();
    expect(sent).toContain('"tools":[{ "name":"f","input_schema":{"type":"object","maximum":1.0}}]');
  });

  test('servers of tools are left out too', () => {
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

describe('what another provider’s model thought', () => {
  const wrapped = wrapOpaque({ origin: 'gemini', data: 'abc' }, 'anthropic-messages');
  const own = { type: 'thinking', thinking: 'Hm', signature: 'EqMC' };
  const foreign = { type: 'thinking', thinking: 'Hm', signature: wrapped };
  const text = { type: 'text', text: 'Hello' };

  test('is left out of what Anthropic gets, and the request says so', () => {
    const unsigned = { type: 'thinking', thinking: 'Hm', signature: '' };
    const redacted = { type: 'redacted_thinking', data: wrapped };
    const request = clientRequest(conversationAfter([own, foreign, unsigned, redacted, text]));
    expect(paths(request.passthroughWarnings ?? [])).toEqual(['messages[1]']);
    expect(request.policy.warnings).toEqual([]);
    expect(forwarded(request)['messages']).toEqual(conversationAfter([own, text])['messages']);
  });

  test('a turn of nothing else goes with it', () => {
    expect(forwarded(clientRequest(conversationAfter([foreign])))['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Go on' },
    ]);
  });

  test('a request with only own thoughts keeps its bytes', () => {
    const request = clientRequest(conversationAfter([own, text]));
    expect(request.passthroughWarnings).toEqual([]);
    expect(forwarded(request)).toEqual(bodyOf(conversationAfter([own, text])));
  });

  test('a budget for thinking goes where the turn that calls a tool is left without a thought', () => {
    const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const thinking = { type: 'enabled', budget_tokens: 1_024 };
    const request = clientRequest({ ...conversationAfter([foreign, call]), thinking });
    expect(paths(request.passthroughWarnings ?? [])).toEqual(['messages[1]', 'thinking']);
    expect(forwarded(request)['thinking']).toBeUndefined();
    expect(forwarded(clientRequest({ ...conversationAfter([foreign, own, call]), thinking }))['thinking']).toEqual(
      thinking,
    );
    const clamped = request.editRequest({ upstreamModel: 'claude', outputTokens: 1_024 });
    expect(JSON.parse(clamped.toString())).not.toHaveProperty('thinking');
  });

  test('citations made here are left out, Anthropic’s own stay', () => {
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

describe('a limit that the balance affords', () => {
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
