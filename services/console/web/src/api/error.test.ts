import { expect, test } from 'vitest';
import { ApiError, fieldErrors, messageOf } from './error.ts';

test('at its field, a message does not repeat the name of the field', () => {
  const error = new ApiError('invalid_request', 400, 'current_password: is wrong', 'current_password');
  expect(fieldErrors(error)).toEqual({ current_password: 'Is wrong.' });
});

test('other messages stay as they are', () => {
  const error = new ApiError('conflict', 409, 'The last owner stays.', 'role');
  expect(fieldErrors(error)).toEqual({ role: 'The last owner stays.' });
});

test('an error without a field belongs to no field', () => {
  expect(fieldErrors(new ApiError('unavailable', 503, 'Try again.', null))).toEqual({});
  expect(fieldErrors(new Error('broken'))).toEqual({});
});

test('whatever was thrown has a message', () => {
  expect(messageOf(new ApiError('unavailable', 503, 'Try again.', null))).toBe('Try again.');
  expect(messageOf('text')).toBe('Something failed in this page. Reload it, then try again.');
});
