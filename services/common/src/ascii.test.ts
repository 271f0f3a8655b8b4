import { expect, it } from 'vitest';
import { lowerCaseAscii } from './ascii.ts';

it.each([
  ['ANA@Example.COM', 'ana@example.com'],
  ['\u212Aate@example.com', '\u212Aate@example.com'],
  ['\u0130\u017F\u212B', '\u0130\u017F\u212B'],
])('lowers ASCII letters of %j only', (text, expected) => {
  expect(lowerCaseAscii(text)).toBe(expected);
});
