import { expect, it } from 'vitest';
import { recordText } from './record-text.ts';

it.each([
  ['tool_calls', 'tool_calls'],
  ['', ''],
  ['MAX\0_TOKENS\r\n', 'MAX_TOKENS'],
  ['a\ud800b', 'a\ufffdb'],
  ['x'.repeat(1_000), 'x'.repeat(100)],
  [`${'x'.repeat(99)}😀`, `${'x'.repeat(99)}\ufffd`],
  ['\0'.repeat(1_000_000), ''],
])('%j is kept as %j', (word, kept) => {
  expect(recordText(word, (text) => text)).toBe(kept);
});

it('is redacted, also where it is cut', () => {
  const redact = (text: string) => text.replace('a-credential', '***');
  expect(recordText(`${'x'.repeat(95)}a-credential`, redact)).toBe(`${'x'.repeat(95)}***`);
});
