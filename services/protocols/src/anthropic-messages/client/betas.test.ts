import { expect, test } from 'vitest';
import { allowedBetas } from './betas.ts';

test('betas without extra cost pass, once each, in order', () => {
  const betas = [
    'interleaved-thinking-2025-05-14',
    'claude-code-20250219',
    'fast-mode-2026-02-01',
    'mid-conversation-system-2026-04-07',
  ];
  expect(allowedBetas([...betas, 'claude-code-20250219'])).toEqual({ pass: betas, dropped: [], leftOut: [] });
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

const LISTED = { name: 'context-management', fields: ['context_management'], accepted: true };
const REFUSED = { name: 'shiny-2027-01-01', fields: ['shiny', 'tools[].shine'], accepted: false };
const BETAS = ['context-management-2025-06-27', 'task-budgets-2026-03-13', 'shiny-2027-01-01', 'new-2027-02-02'];
const COSTLY = ['context-1m-2025-08-07'];

test.each([
  ['strict', false, [BETAS[0]], ['output_config.task_budget', 'shiny', 'tools[].shine']],
  ['forward', true, [BETAS[0], BETAS[1], BETAS[3]], ['shiny', 'tools[].shine']],
])('with the policy %s, betas pass or are dropped together with their fields', (_, forwardsUnlisted, pass, leftOut) => {
  const choice = allowedBetas([...BETAS, ...COSTLY], { forwardsUnlisted, list: [LISTED, REFUSED] });
  expect(choice.pass).toEqual(pass);
  expect(choice.leftOut).toEqual(leftOut);
  expect(choice.dropped).toContainEqual({ beta: COSTLY[0], reason: 'it costs more than the list price' });
});

test('a field stays if another beta that passes enables it', () => {
  const list = [{ name: 'tool-examples', fields: [], accepted: true }];
  const choice = allowedBetas(['tool-examples-2025-10-29', 'advanced-tool-use-2025-11-20'], {
    forwardsUnlisted: false,
    list,
  });
  expect(choice.leftOut).toEqual(['tools[].defer_loading', 'tools[].allowed_callers']);
});

test.each(['per-turn-control-2026-07-01', 'mid-conversation-output-config-2026-07-01'])(
  '%s goes with the efforts of messages',
  (beta) => {
    expect(allowedBetas([beta])).toEqual({ pass: [beta], dropped: [], leftOut: [] });
    const none = { forwardsUnlisted: false, list: [] };
    expect(allowedBetas([beta], none)).toMatchObject({ pass: [], leftOut: ['messages[].output_config'] });
  },
);

test('a list cannot accept a beta that costs more', () => {
  const list = [{ name: 'context-1m', fields: [], accepted: true }];
  expect(allowedBetas(COSTLY, { forwardsUnlisted: true, list }).pass).toEqual([]);
});
