import { expect, it } from 'vitest';
import { clientIdsOf } from './request-context.ts';

const NONE = { clientSessionId: '', agentId: '', parentAgentId: '' };

it.each([
  ['of any client', { 'x-tollgate-session': 's', 'x-tollgate-agent': 'a', 'x-tollgate-parent-agent': 'p' }],
  [
    'of Claude Code',
    {
      'x-claude-code-session-id': 's',
      'x-claude-code-agent-id': 'a',
      'x-claude-code-parent-agent-id': 'p',
    },
  ],
])('reads the ids %s', (_, headers) => {
  expect(clientIdsOf(headers)).toEqual({ clientSessionId: 's', agentId: 'a', parentAgentId: 'p' });
});

it.each(['session-id', 'session_id'])('reads the session of Codex from %s', (name) => {
  expect(clientIdsOf({ [name]: 's' })).toEqual({ ...NONE, clientSessionId: 's' });
});

it('prefers the header of the gateway', () => {
  const headers = { 'session-id': 'codex', 'x-claude-code-session-id': 'claude', 'x-tollgate-session': 'own' };
  expect(clientIdsOf(headers).clientSessionId).toBe('own');
});

it.each([
  ['empty', ''],
  ['too long', 'a'.repeat(101)],
  ['beyond ASCII', 'sitzung-ü'],
  ['with control characters', 'a\tb'],
])('ignores a value that is %s, and reads the next header', (_, value) => {
  expect(clientIdsOf({ 'x-tollgate-session': value })).toEqual(NONE);
  expect(clientIdsOf({ 'x-tollgate-session': value, 'session-id': 's' }).clientSessionId).toBe('s');
});

it('accepts 100 characters', () => {
  expect(clientIdsOf({ 'x-tollgate-session': 'a'.repeat(100) }).clientSessionId).toHaveLength(100);
});
