import { expect, test } from 'vitest';
import { decodeError, encodeError } from './errors.ts';

test.each([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [402, 'FAILED_PRECONDITION'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [405, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])('%d is %s, with the fields of the contract', (code, status) => {
  const details = { recharge_url: 'https://x' };
  const body = encodeError({ message: 'm', type: 't', code, details }, 'trace');
  expect(body.startsWith('{"error":')).toBe(true);
  expect(JSON.parse(body)).toEqual({ error: { message: 'm', type: 't', code, details, status }, trace_id: 'trace' });
});

const read = (error: object) => decodeError(Buffer.from(JSON.stringify({ error })));

test('the invalid field may be in the message', () => {
  const message = '* GenerateContentRequest.generation_config.top_k: must be positive';
  expect(read({ message }).param).toBe('generation_config.top_k');
  expect(read({ message: "Invalid value at 'contents[0].role' (TYPE_STRING), 5" }).param).toBe('contents[0].role');
  expect(read({ message: 'm' }).param).toBe('');
});

test.each([
  '',
  '<html>',
  '[]',
  '[{"error":{"message":"m"}}]',
  '{"error":{"details":5}}',
  '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.BadRequest"}]}}',
])('decodes a minimal body: %s', (body) => {
  expect(decodeError(Buffer.from(body)).param).toBe('');
});
