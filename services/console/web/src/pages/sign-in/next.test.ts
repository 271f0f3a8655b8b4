import { expect, test } from 'vitest';
import { safeNext } from './next.ts';

test('sign-in leads back to the page of a link', () => {
  expect(safeNext('/accounts/1/requests?status=failed')).toBe('/accounts/1/requests?status=failed');
});

test.each([
  undefined,
  '',
  'https://example.com',
  '//example.com',
  '/\\example.com',
  '/\t/example.com',
  '/..//example.com',
  'javascript:alert(1)',
])('sign-in leads to no other site: %j', (next) => {
  expect(safeNext(next)).toBe('/');
});
