import { expect, test } from 'vitest';
import { allowedBetas } from './betas.ts';

test('betas without extra cost pass, once each, in order', () => {
  const betas = ['interleaved-thinking-2025-05-14', 'claude-code-20250219', 'fast-mode-2026-02-01'];
  expect(allowedBetas([...betas, 'claude-code-20250219'])).toEqual({ pass: betas, dropped: [] });
});

test.each([
  'context-1m-2025-08-07',
  'output-300k-2026-03-24',
  'files-api-2025-04-14',
  'compact-2026-01-12',
  'mcp-client-2025-11-20',
  'server-side-fallback-2026-07-01',
  'interleaved-thinking-2025-05-14x',
  'nobody-knows-2027-01-01',
])('%s is dropped, with a reason', (beta) => {
  const { pass, dropped } = allowedBetas([beta]);
  expect(pass).toEqual([]);
  expect(dropped).toEqual([{ beta, reason: expect.stringMatching(/./) }]);
});
