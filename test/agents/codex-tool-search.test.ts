import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { READERS } from '../sdk/received/index.ts';
import { type Agent, call } from './agents/agent.ts';
import { codexKnownModel } from './agents/codex.ts';
import { UPSTREAMS } from './cells.ts';
import { prepareHome, runAgent } from './support/agent-run.ts';
import { printedSetup } from './support/client-setup.ts';
import { type AgentsGateway, startAgentsGateway } from './support/gateway.ts';
import { type LoopbackOnly, startLoopbackOnly } from './support/loopback-only.ts';
import { Workspace } from './support/workspace.ts';

const SERVER = join(CHECKOUT, 'test/agents/support/weather-server.ts');

/** Codex with a server of tools, which it offers to its known models only through a search. */
const AGENT: Agent = {
  ...codexKnownModel,
  args: (prompt, goOn) => [
    '--config',
    `mcp_servers.weather.command=${JSON.stringify(process.execPath)}`,
    '--config',
    `mcp_servers.weather.args=${JSON.stringify([SERVER])}`,
    ...codexKnownModel.args(prompt, goOn),
  ],
};

/** What the user asks in each turn, and what the model does. */
const TURNS = [
  { ask: 'Find a tool for weather.', step: call('tool_search', { query: 'weather' }), answer: 'Found one.' },
  {
    ask: 'What is the weather in Oslo?',
    step: call('mcp__weather__read_weather', { city: 'Oslo' }),
    answer: 'It is sunny.',
  },
];

let gateway: AgentsGateway;
let loopback: LoopbackOnly;
let workspace: Workspace;

beforeAll(async () => {
  workspace = new Workspace('codex-tool-search');
  gateway = await startAgentsGateway();
  loopback = await startLoopbackOnly(gateway.baseUrl, workspace.folder('socket'));
});
afterAll(async () => {
  await loopback?.stop();
  await gateway?.stop();
  workspace?.remove();
});

it.each(process.env['LONG'] === '1' ? UPSTREAMS : (['gemini'] as const))(
  'Codex searches its tools with a model of %s, and calls what it finds',
  async (upstream) => {
    const folders = workspace.cell(upstream);
    const setup = await printedSetup(AGENT.client, AGENT.model(upstream), gateway);
    prepareHome(AGENT, setup, folders);
    const before = gateway.callCount();
    for (const [index, { ask, step, answer }] of TURNS.entries()) {
      const script = [{ tool_calls: [step] }, { text: answer }];
      const prompt = `${ask} [simulate ${JSON.stringify({ script })}]`;
      const run = await runAgent({ agent: AGENT, setup, folders, loopback, prompt, goOn: index > 0 });
      expect(run.stdout, run.stderr.slice(-2_000)).toContain(answer);
    }
    const calls = gateway.callsAfter(before);
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 200));
    const received = READERS[upstream](JSON.parse(calls.at(-1)?.body ?? 'null'));
    expect(received.calls.map(({ name }) => name)).toEqual(['tool_search', 'mcp__weather__read_weather']);
    expect(received.results.at(-1)?.text).toContain('Sunny in Oslo');
  },
);
