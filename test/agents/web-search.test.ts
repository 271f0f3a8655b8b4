import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Agent, call } from './agents/agent.ts';
import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { prepareHome, runAgent } from './support/agent-run.ts';
import { printedSetup } from './support/client-setup.ts';
import { type AgentsGateway, startAgentsGateway } from './support/gateway.ts';
import { type LoopbackOnly, startLoopbackOnly } from './support/loopback-only.ts';
import { completedRecords } from './support/records.ts';
import { removeHome, Workspace } from './support/workspace.ts';

const DEPOSIT_NANOS = 100_000_000_000n;
/** Of the models, in nano-dollars per million. */
const RATES = { input: 2_000_000_000n, output: 8_000_000_000n, search: 10_000_000_000_000n };
const ANSWER = 'Two pages were found.';
/** What the model does if it may search. */
const SEARCHES = `[simulate ${JSON.stringify({ searches: 2, tokens_per_use: 500, text: ANSWER })}]`;

/** Claude Code searches by a request of its own, and loads the tool for it only when the model asks for it. */
const CLAUDE_CODE: Agent = {
  ...claudeCode,
  args: (prompt, goOn) => [
    '--print',
    ...(goOn ? ['--continue'] : []),
    '--output-format=json',
    '--allowedTools=WebSearch',
    '--',
    prompt,
  ],
};
const LOADING = scripted('Find a tool for searches.', call('ToolSearch', { query: 'select:WebSearch' }));
const ASKING = scripted('What is new?', call('WebSearch', { query: `news ${SEARCHES}` }));

/** Codex by its setting `web_search`. */
const codexWith = (mode: string): Agent => ({
  ...codex,
  args: (prompt, goOn) => {
    const args = codex.args(prompt, goOn);
    return ['--config', `web_search="${mode}"`, ...args.slice(0, -2), '--json', ...args.slice(-2)];
  },
});

const GEMINI_CLI: Agent = {
  ...geminiCli,
  args: (prompt, goOn) => ['--output-format', 'json', ...geminiCli.args(prompt, goOn)],
};

/** A prompt for which the model makes a call, and then answers. */
function scripted(ask: string, step: object): string {
  const script = [{ reasoning: 'Let me see.', tool_calls: [step] }, { text: 'Done.' }];
  return `${ask} [simulate ${JSON.stringify({ script })}]`;
}

let gateway: AgentsGateway;
let loopback: LoopbackOnly;
let workspace: Workspace;

beforeAll(async () => {
  workspace = new Workspace('web-search');
  gateway = await startAgentsGateway();
  loopback = await startLoopbackOnly(gateway.baseUrl, workspace.folder('socket'));
});
afterAll(async () => {
  await loopback?.stop();
  await gateway?.stop();
  workspace?.remove();
});

/** What an agent says that it has used. */
interface Used {
  input: number;
  output: number;
  searches: number;
}

/** By the test's own arithmetic. */
function bill({ input, output, searches }: Used): bigint {
  return lineNanos(input, RATES.input) + lineNanos(output, RATES.output) + lineNanos(searches, RATES.search);
}

/** An agent with a home and an account of its own: what it prints, what the provider gets, and what the account pays. */
async function converse(agent: Agent, model: string, prompts: readonly string[]) {
  const account = await gateway.accounts.create(DEPOSIT_NANOS);
  const folders = workspace.cell(`${agent.name}-${model}`);
  const setup = await printedSetup(agent.client, model, { ...gateway, key: account.key });
  prepareHome(agent, setup, folders);
  const before = gateway.callCount();
  const outputs: string[] = [];
  for (const [index, prompt] of prompts.entries()) {
    const run = await runAgent({ agent, setup, folders, loopback, prompt, goOn: index > 0 });
    expect({ code: run.code, timedOut: run.timedOut }, run.stderr.slice(-2_000)).toEqual({ code: 0, timedOut: false });
    outputs.push(run.stdout);
  }
  removeHome(folders);
  const calls = gateway.callsAfter(before);
  expect(calls.map(({ status, state }) => ({ status, state }))).toEqual(
    calls.map(() => ({ status: 200, state: 'finished' })),
  );
  await expect.poll(() => completedRecords(gateway.baseUrl, account.key)).toHaveLength(calls.length);
  const records = await completedRecords(gateway.baseUrl, account.key);
  return {
    outputs,
    bodies: calls.map(({ body }): unknown => JSON.parse(body ?? 'null')),
    records,
    paid: records.reduce<bigint>((sum, record) => sum + nanos(textAt(record, 'cost')), 0n),
  };
}

/** What Claude Code reports of all requests of a session with its last turn. */
function usedByClaudeCode(outputs: readonly string[], model: string): Used {
  const used = at(JSON.parse(outputs.at(-1) ?? ''), 'modelUsage', model);
  const count = (name: string) => Number(at(used, name));
  return { input: count('inputTokens'), output: count('outputTokens'), searches: count('webSearchRequests') };
}

/** The request by which Claude Code searches. */
function searchRequest(bodies: readonly unknown[]): unknown {
  return bodies.find((body) => JSON.stringify(at(body, 'messages', 0)).includes('Perform a web search'));
}

/** What Claude Code gave the model for its search. */
function searchResult(bodies: readonly unknown[]): unknown {
  const blocks = listAt(bodies.at(-1), 'messages').flatMap((message) => at(message, 'content') ?? []);
  return blocks.findLast((block) => at(block, 'type') === 'tool_result');
}

it.each([
  ['claude-opus-5-5', 'auto'],
  ['claude-sonnet-4-6', 'tool'],
])('Claude Code searches with %s, and pays for each search', async (model, choice) => {
  const { outputs, bodies, paid } = await converse(CLAUDE_CODE, model, [LOADING, ASKING]);
  expect(searchRequest(bodies)).toMatchObject({
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
    tool_choice: { type: choice },
  });
  const result = textAt(searchResult(bodies), 'content');
  for (const found of ['https://search.example/1', 'https://search.example/2', ANSWER]) expect(result).toContain(found);
  expect(at(JSON.parse(outputs[1] ?? ''), 'result')).toBe(ANSWER);
  const used = usedByClaudeCode(outputs, model);
  expect(used.searches).toBe(2);
  expect(paid).toBe(bill(used));
});

it('Claude Code goes on without results if searches have no price', async () => {
  const model = 'on-anthropic-messages';
  const { outputs, bodies, paid } = await converse(CLAUDE_CODE, model, [LOADING, ASKING]);
  expect(searchRequest(bodies)).not.toHaveProperty('tools');
  expect(searchResult(bodies)).toMatchObject({ content: expect.not.stringContaining('https://') });
  const used = usedByClaudeCode(outputs, model);
  expect(used.searches).toBe(0);
  expect(paid).toBe(bill(used));
});

it('Claude Code reports to its model why there is no search, where it forces one', async () => {
  const { outputs, bodies } = await converse(CLAUDE_CODE, 'claude-opus-4-6', [LOADING, ASKING]);
  expect(searchRequest(bodies)).toBeUndefined();
  expect(searchResult(bodies)).toMatchObject({
    is_error: true,
    content: expect.stringContaining('web search is not available for this model'),
  });
  expect(at(JSON.parse(outputs[1] ?? ''), 'result')).toBe('Done.');
});

/** The events that Codex prints. */
function eventsOf(output: string): unknown[] {
  return output.split('\n').flatMap((line): unknown => (line === '' ? [] : JSON.parse(line)));
}

/** The searches that Codex shows. */
function searchesOf(output: string): unknown[] {
  const items = eventsOf(output).map((event) =>
    at(event, 'type') === 'item.completed' ? at(event, 'item') : undefined,
  );
  return items.filter((item) => at(item, 'type') === 'web_search' && at(item, 'action', 'type') === 'search');
}

/** What Codex reports of all requests of a session with its last turn. */
function usedByCodex(outputs: readonly string[]): Used {
  const usage = at(eventsOf(outputs.at(-1) ?? '').at(-1), 'usage');
  const searches = outputs.flatMap(searchesOf).length;
  return { input: Number(at(usage, 'input_tokens')), output: Number(at(usage, 'output_tokens')), searches };
}

it.each([
  ['searching', 'live', { external_web_access: true }],
  ['gpt-5.5-searching', 'indexed', { external_web_access: true, indexed_web_access: true }],
])('Codex searches with %s, set to %s, and pays for each search', async (model, mode, access) => {
  const { outputs, bodies, paid } = await converse(codexWith(mode), model, [`What is new? ${SEARCHES}`, 'And then?']);
  const tool = { type: 'web_search', ...access };
  for (const body of bodies) {
    expect(at(body, 'tools')).toContainEqual(expect.objectContaining(tool));
    expect(at(body, 'max_tool_calls')).toBe(3);
  }
  const queries = ['simulated query 1', 'simulated query 2'];
  expect(searchesOf(outputs[0] ?? '').map((item) => at(item, 'query'))).toEqual(queries);
  // It returns the searches to the model in the next turn.
  const returned = listAt(bodies.at(-1), 'input').filter((item) => at(item, 'type') === 'web_search_call');
  expect(returned.map((item) => at(item, 'action', 'query'))).toEqual(queries);
  const used = usedByCodex(outputs);
  expect(used.searches).toBe(2);
  expect(paid).toBe(bill(used));
});

it('Codex goes on without a search if searches have no price', async () => {
  const { outputs, bodies, paid } = await converse(codexWith('live'), 'on-openai-responses', [
    `What is new? ${SEARCHES}`,
  ]);
  expect(JSON.stringify(at(bodies[0], 'tools'))).not.toContain('"web_search"');
  expect(outputs[0]).toContain(ANSWER);
  const used = usedByCodex(outputs);
  expect(used.searches).toBe(0);
  expect(paid).toBe(bill(used));
});

/** What Gemini CLI reports of all requests. It does not count searches. */
function usedByGeminiCli(output: string, searches: number): Used {
  const models = Object.values(at(JSON.parse(output), 'stats', 'models') ?? {});
  const sum = (name: string) => models.reduce<number>((total, used) => total + Number(at(used, 'tokens', name)), 0);
  return { input: sum('prompt'), output: sum('candidates') + sum('thoughts'), searches };
}

it('Gemini CLI searches by a request of its own, and pays for each search', async () => {
  const asking = scripted('What is new?', call('google_web_search', { query: `news ${SEARCHES}` }));
  const { outputs, bodies, paid } = await converse(GEMINI_CLI, 'gemini-searching', [asking]);
  expect(bodies.map((body) => at(body, 'tools', 0, 'googleSearch'))).toContainEqual({});
  const results = listAt(bodies.at(-1), 'contents').flatMap(
    (content) => at(content, 'parts', 0, 'functionResponse') ?? [],
  );
  const result = JSON.stringify(results.at(-1));
  for (const found of ['https://search.example/1', ANSWER]) expect(result).toContain(found);
  const output = outputs[0] ?? '';
  expect(at(JSON.parse(output), 'response')).toBe(ANSWER);
  expect(paid).toBe(bill(usedByGeminiCli(output, 2)));
});
