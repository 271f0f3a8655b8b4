import { newId, newTraceId } from '@tollgate/common/ids';
import { expect, it } from 'vitest';
import { CAP } from '../../../testing/cap-status.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { refusingLimit } from '../../shared/limits/ceilings.ts';
import { surfaceOf } from '../../shared/request/surface.ts';
import { describeRefusal } from './record-refusal.ts';

const owner = { keyId: newId(), keyName: 'laptop', accountId: newId(), nodes: [], session: undefined };

function describeAt(path: string, body: string | undefined, error = apiErrors.rateLimited(1)) {
  const context = {
    requestId: newId(),
    traceId: newTraceId(),
    surface: surfaceOf(path),
    key: undefined,
    clientIds: { clientSessionId: 'nightly', agentId: '', parentAgentId: '' },
  };
  const request = { context, path, body: body === undefined ? undefined : Buffer.from(body) };
  return { context, refusal: describeRefusal(request, owner, error, 'rate_limited', 1_234) };
}

it('has what identifies a request, and what its response said', () => {
  const held = apiErrors.creditHeld(undefined, owner, 1_000);
  const { context, refusal } = describeAt('/v1/chat/completions', '{"model":"gpt-x"}', held);
  expect(refusal).toEqual({
    requestId: context.requestId,
    traceId: context.traceId,
    ...owner,
    model: 'gpt-x',
    protocolIn: 'openai-chat',
    httpStatus: 429,
    errorType: 'rate_limit_exceeded',
    reason: 'rate_limited',
    message: 'Open requests of the account hold its credit. Retry when some of them have finished.',
    refusedAtMs: 1_234n,
    clientSessionId: 'nightly',
  });
});

it('has the cap that refused it, with names that its key must not show', () => {
  const [projectId, memberId, parentId] = [newId(), newId(), newId()];
  const key = {
    ...owner,
    nodes: [
      { scope: 'project', nodeId: projectId, name: 'Checkout' },
      { scope: 'member', nodeId: memberId, name: 'dev@example.com' },
      { scope: 'key', nodeId: parentId, name: 'agents' },
    ] as const,
  };
  const limitOf = (nodeId: string) => refusingLimit({ ...CAP, nodeId }, key);
  const window = 'day';
  expect(limitOf(projectId)).toEqual({ scope: 'project', id: projectId, name: 'Checkout', window, projectId });
  expect(limitOf(memberId)).toEqual({ scope: 'member', id: memberId, name: 'dev@example.com', window, projectId });
  expect(limitOf(parentId)).toEqual({ scope: 'key', id: parentId, name: 'agents', window, projectId: '' });
  expect(limitOf(key.keyId)).toEqual({ scope: 'key', id: key.keyId, name: 'laptop', window, projectId: '' });
});

it.each([
  ['/v1beta/models/gemini-x:generateContent', undefined, 'gemini-x'],
  ['/v1beta/models/gemini-x', undefined, 'gemini-x'],
  ['/v1/messages', undefined, ''],
  ['/v1/messages', '{"messages":[{"model":"not this"}]', ''],
  ['/v1/messages', `{"model":"${'m'.repeat(200)}"}`, 'm'.repeat(200)],
  ['/v1/messages', `{"model":"${'m'.repeat(2_000)}"}`, ''],
])('names the model of %s as far as it was read', (path, body, model) => {
  expect(describeAt(path, body).refusal.model).toBe(model);
});

it('keeps texts storable, whatever a client sends', () => {
  const name = JSON.parse('"a\\u0000b\\ud800c"');
  const { refusal } = describeAt('/v1/messages', `{"model":"a\\u0000b\\ud800c"}`, apiErrors.modelNotAvailable(name));
  expect(refusal.model).toBe('ab\ufffdc');
  expect(refusal.message).toContain("The model 'ab\ufffdc' does not exist");
});

it.each([
  'sk-tollgate-0123456789abcdefghijklmnop',
  'mk-tollgate-0123456789abcdefghijklmnop',
  'sk-ant-api03-0123456789_abcdefghijklmnop',
  'AIzaSyA0123456789abcdefghijklmnop',
  'my key is sk-tollgate-0123456789abcdefghijklmnop.',
])('keeps no key that a client sends as the name of a model: %s', (name) => {
  const { refusal } = describeAt('/v1/messages', JSON.stringify({ model: name }), apiErrors.modelNotAvailable(name));
  const kept = JSON.stringify(Object.values(refusal).map(String));
  expect(kept).not.toMatch(/0123|AIza/);
  expect(refusal.message).toContain('[redacted]');
});

it.each(['gpt-4o-mini', 'claude-sonnet-4-5-20250929', 'task-runner-0123456789abcdef', 'mk-1', 'deepseek/sk-1'])(
  'keeps the name of the model %s',
  (name) => {
    expect(describeAt('/v1/messages', JSON.stringify({ model: name })).refusal.model).toBe(name);
  },
);
