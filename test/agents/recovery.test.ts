import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { at, listAt } from '@tollgate/test-support/gateway/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AGENTS } from './agents/index.ts';
import { CELLS, SHORT_CELLS } from './cells.ts';
import { prepareHome, runAgent } from './support/agent-run.ts';
import { printedSetup } from './support/client-setup.ts';
import { startCountingProxy } from './support/counting-proxy.ts';
import { type AgentsGateway, startAgentsGateway } from './support/gateway.ts';
import { startLoopbackOnly } from './support/loopback-only.ts';
import { completedRecords } from './support/records.ts';
import type { BoundedRun } from './support/run-bounded.ts';
import { removeHome, Workspace } from './support/workspace.ts';

/** Tokens: more than the agents' own instructions and tools, less than these and a long prompt. */
const CONTEXT_WINDOW = 35_000;
const ANSWER = 'This is a simulated answer: no model was called.';
const TOO_LITTLE_NANOS = 1_000n;
const ENOUGH_NANOS = 10_000_000_000n;

/** The agents that compact a conversation by themselves, each with its upstreams. */
const cells = [...new Set((process.env['LONG'] === '1' ? CELLS : SHORT_CELLS).map(pairOf))]
  .map((pair) => pair.split(' ') as [PairAgent, (typeof CELLS)[number]['upstream']])
  .filter(([agent]) => agent === 'claude-code' || agent === 'codex')
  .map(([agent, upstream]) => ({ agent, upstream }));
type PairAgent = 'claude-code' | 'codex';

function pairOf({ agent, upstream }: (typeof CELLS)[number]): string {
  return `${agent} ${upstream}`;
}

/** Prompts that exceed the window: Claude Code's in the second turn, Codex's alone, since it compacts in its next turn. */
const PROMPTS: Readonly<Record<PairAgent, readonly [string, string]>> = {
  'claude-code': [`Remember this: ${words(64_000)}`, `And this: ${words(40_000)}`],
  codex: [`Remember this: ${words(110_000)}`, 'Go on'],
};

let gateway: AgentsGateway;
let workspace: Workspace;

beforeAll(async () => {
  workspace = new Workspace('recovery');
  gateway = await startAgentsGateway({ contextWindow: CONTEXT_WINDOW, promptCache: true });
});
afterAll(async () => {
  await gateway?.stop();
  workspace?.remove();
});

it.each(cells)('$agent in front of $upstream compacts a conversation that is too long, and goes on', async (cell) => {
  const session = await startSession(cell, 'compacts', gateway);
  const [first, second] = PROMPTS[cell.agent];
  const before = gateway.callCount();
  await session.run(first, false);
  const last = await session.run(second, true);
  await session.end();
  expect(last).toMatchObject({ code: 0, timedOut: false });
  expect(last.stdout).toContain(ANSWER);
  // The refusal, then the summary and the answer.
  const statuses = gateway.callsAfter(before).map(({ status }) => status);
  const refusal = cell.upstream === 'openai-responses' ? 200 : 400;
  expect(statuses).toContain(refusal);
  expect(statuses.slice(-2)).toEqual([200, 200]);
});

it.each(cells)('$agent in front of $upstream stops without credit, and goes on after a top-up', async (cell) => {
  const account = await gateway.accounts.create(TOO_LITTLE_NANOS);
  const session = await startSession(cell, 'pays', { ...gateway, key: account.key });
  const refused = await session.run('Say hello', false);
  expect(refused.code).not.toBe(0);
  expect(refused.stdout + refused.stderr).toContain('Top up at');
  const digests = session.requests().map(({ digest }) => digest);
  expect(digests).not.toHaveLength(0);
  expect(new Set(digests).size, 'no request was sent again').toBe(digests.length);
  // Its messages always differ, but each turn without tools is one.
  if (cell.agent === 'codex') expect(digests).toHaveLength(1);
  await gateway.accounts.deposit(account.accountId, ENOUGH_NANOS);
  const resumed = await session.run('Go on', true);
  await session.end();
  expect(resumed).toMatchObject({ code: 0, timedOut: false });
  expect(resumed.stdout).toContain(ANSWER);
});

it.each(cells)('$agent in front of $upstream reads its prompt from the cache in the second turn', async (cell) => {
  const account = await gateway.accounts.create(ENOUGH_NANOS);
  const session = await startSession(cell, 'caches', { ...gateway, key: account.key });
  await session.run('Say hello', false);
  await session.run('Go on', true);
  await session.end();
  const transport = cell.agent === 'codex' ? 'websocket' : 'http';
  expect(new Set(session.requests().map((request) => request.transport))).toEqual(new Set([transport]));
  const cached = async () => {
    const [last] = await completedRecords(gateway.baseUrl, account.key);
    return Number(at(last, 'usage', 'cache_read') ?? 0);
  };
  // The agent's instructions and tools, which are far longer than the messages.
  await expect.poll(cached).toBeGreaterThan(5_000);
});

it('Claude Code finds the models of the gateway', async () => {
  const cell = { agent: 'claude-code', upstream: 'anthropic-messages' } as const;
  const session = await startSession(cell, 'discovers', gateway, { CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: '1' });
  await session.run('Say hello', false);
  const found: unknown = JSON.parse(readFileSync(join(session.home, '.claude/cache/gateway-models.json'), 'utf8'));
  await session.end();
  // It keeps the models whose id contains `claude` or `anthropic`.
  expect(listAt(found, 'models')).toContainEqual({
    id: 'on-anthropic-messages',
    display_name: 'on-anthropic-messages',
  });
});

/** An agent with a home of its own, whose requests are counted. */
async function startSession(
  cell: { agent: PairAgent; upstream: (typeof CELLS)[number]['upstream'] },
  scenario: string,
  used: AgentsGateway,
  environment: Record<string, string> = {},
) {
  const known = AGENTS[cell.agent];
  const agent = { ...known, environment: { ...known.environment, ...environment } };
  const proxy = await startCountingProxy(gateway.baseUrl);
  const name = `${cell.agent}-${cell.upstream}-${scenario}`;
  const folders = workspace.cell(name);
  const loopback = await startLoopbackOnly(proxy.url, workspace.folder(`${name}-socket`));
  const setup = await printedSetup(agent.client, agent.model(cell.upstream), { ...used, baseUrl: proxy.url });
  prepareHome(agent, setup, folders);
  return {
    home: folders.home,
    run: (prompt: string, goOn: boolean): Promise<BoundedRun> =>
      runAgent({ agent, setup, folders, loopback, prompt, goOn }),
    requests: () => proxy.requests,
    end: async () => {
      await loopback.stop();
      await proxy.stop();
      removeHome(folders);
    },
  };
}

function words(characters: number): string {
  return Array.from({ length: characters / 10 }, (_, i) => `w${String(i).padStart(8, '0')}`).join(' ');
}
