import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { readCookie } from './cookies.ts';

it.each([
  ['s=1', '1'],
  ['other=2; s=1; third=3', '1'],
  ['s=a=b', 'a=b'],
  ['xs=1', undefined],
  ['s', undefined],
  ['s=', undefined],
  ['', undefined],
  [undefined, undefined],
  // Somebody else has set the second one.
  ['s=1; s=2', undefined],
])('reads from %j the value %j', (cookie, value) => {
  const headers = cookie === undefined ? {} : { cookie };
  expect(readCookie({ headers } as IncomingMessage, 's')).toBe(value);
});
