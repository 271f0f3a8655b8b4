import { expect, it } from 'vitest';
import { forwardedHeaders } from './client-headers.ts';

it('sends a version to every provider of the messages protocol, and to no other', () => {
  const passed = forwardedHeaders({}, 'anthropic-messages');
  expect(passed.to('anthropic-messages')).toEqual({ 'anthropic-version': '2023-06-01' });
  for (const other of ['openai-chat', 'openai-responses', 'gemini'] as const) expect(passed.to(other)).toEqual({});
});

it('forwards the version of a client of the messages protocol only', () => {
  const headers = { 'anthropic-version': '2026-10-21' };
  const version = (client: 'anthropic-messages' | 'openai-chat', given: object = headers) =>
    forwardedHeaders({ ...given }, client).to('anthropic-messages')['anthropic-version'];
  expect(version('anthropic-messages')).toBe('2026-10-21');
  expect(version('anthropic-messages', { 'anthropic-version': 'latest\r\nx: y' })).toBe('2023-06-01');
  expect(version('openai-chat')).toBe('2023-06-01');
});

it('forwards betas that cost nothing extra, to providers of that protocol only', () => {
  const passed = forwardedHeaders(
    {
      'anthropic-beta': 'interleaved-thinking-2025-05-14, context-1m-2025-08-07,what-is-this-2026-01-01',
    },
    'anthropic-messages',
  );
  expect(passed.to('anthropic-messages')['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
  expect(passed.to('openai-chat')).toEqual({});
  expect(passed.warnings).toHaveLength(2);
  expect(passed.warnings[0]).toContain('context-1m-2025-08-07');
  expect(passed.warnings[1]).toContain('what-is-this-2026-01-01');
});

it('warns about headers that select something at a provider and are not forwarded', () => {
  expect(forwardedHeaders({ 'openai-project': 'proj_1' }, 'openai-chat').warnings).toEqual([
    'header openai-project is not passed on',
  ]);
  expect(forwardedHeaders({}, 'openai-chat').warnings).toEqual([]);
});

it('keeps the ids of sessions and agents from providers, without a warning', () => {
  const headers = {
    'x-tollgate-session': 's',
    'x-claude-code-session-id': 's',
    'session-id': 's',
    session_id: 's',
    'x-tollgate-agent': 'a',
    'x-claude-code-agent-id': 'a',
    'x-claude-code-parent-agent-id': 'p',
  };
  const passed = forwardedHeaders(headers, 'anthropic-messages');
  expect(passed.to('anthropic-messages')).toEqual({ 'anthropic-version': '2023-06-01' });
  expect(passed.warnings).toEqual([]);
});
