import { INVALID_SPAN_CONTEXT } from '@opentelemetry/api';
import { AuthScheme, Protocol } from '@tollgate/proto/router';
import { expect, it } from 'vitest';
import { providerForTests } from '../../../testing/route-fixture.ts';
import { forwardedHeaders, upstreamHeaders } from './headers.ts';

const CREDENTIAL = 'a-credential';

it('are those of every call, then the provider’s, then those of the request', () => {
  const provider = providerForTests({
    authScheme: AuthScheme.X_API_KEY,
    headers: { accept: 'text/plain', 'x-api-key': 'another', 'x-title': 'of the provider', 'x-version': '1' },
  });
  const own = { 'content-type': 'text/plain', 'x-version': '2', 'x-beta': 'of the request' };
  expect(upstreamHeaders(provider, CREDENTIAL, INVALID_SPAN_CONTEXT, true, own)).toEqual({
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
    'x-api-key': CREDENTIAL,
    'x-title': 'of the provider',
    'x-version': '1',
    'x-beta': 'of the request',
  });
  expect(provider.headers['x-api-key']).toBe('another');
  expect(own).not.toHaveProperty('x-title');
});

const MESSAGES = { protocol: Protocol.ANTHROPIC_MESSAGES, betas: undefined };
const CHAT = { protocol: Protocol.OPENAI_CHAT, betas: undefined };

it('sends a version to every provider of the messages protocol, and to no other', () => {
  const passed = forwardedHeaders({}, 'anthropic-messages');
  expect(passed.to(MESSAGES).headers).toEqual({ 'anthropic-version': '2023-06-01' });
  for (const protocol of [Protocol.OPENAI_CHAT, Protocol.OPENAI_RESPONSES, Protocol.GEMINI]) {
    expect(passed.to({ protocol, betas: undefined }).headers).toEqual({});
  }
});

it('forwards the version of a client of the messages protocol only', () => {
  const headers = { 'anthropic-version': '2026-10-21' };
  const version = (client: 'anthropic-messages' | 'openai-chat', given: object = headers) =>
    forwardedHeaders({ ...given }, client).to(MESSAGES).headers['anthropic-version'];
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
  expect(passed.to(MESSAGES).headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
  expect(passed.to(CHAT).headers).toEqual({});
  const { warnings } = passed.to(MESSAGES);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain('context-1m-2025-08-07');
  expect(warnings[1]).toContain('what-is-this-2026-01-01');
});

it('forwards betas as the provider of a deployment accepts them, and names the fields to leave out', () => {
  const passed = forwardedHeaders(
    { 'anthropic-beta': 'context-management-2025-06-27,new-2027-01-01' },
    'anthropic-messages',
  );
  const strict = passed.to({ ...MESSAGES, betas: { forwardsUnlisted: false, list: [] } });
  expect(strict.headers).toEqual({ 'anthropic-version': '2023-06-01' });
  expect(strict.leftOut).toEqual(['context_management']);
  const forward = passed.to({ ...MESSAGES, betas: { forwardsUnlisted: true, list: [] } });
  expect(forward.headers['anthropic-beta']).toBe('context-management-2025-06-27,new-2027-01-01');
  expect(forward).toMatchObject({ warnings: [], leftOut: [] });
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
  expect(passed.to(MESSAGES).headers).toEqual({ 'anthropic-version': '2023-06-01' });
  expect(passed.warnings).toEqual([]);
});
