import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AGENTS } from './agents/index.ts';
import { CELLS, SHORT_CELLS } from './cells.ts';
import { scenarioOf } from './scenarios.ts';
import { prepareHome, runAgent } from './support/agent-run.ts';
import { printedSetup } from './support/client-setup.ts';
import { keepLogs } from './support/failure-logs.ts';
import { type AgentsGateway, startAgentsGateway } from './support/gateway.ts';
import { judgeFiles, judgeOutput, judgeUpstream } from './support/judge.ts';
import { type LoopbackOnly, startLoopbackOnly } from './support/loopback-only.ts';
import { ResultTable } from './support/result-table.ts';
import { type BoundedRun, runBounded } from './support/run-bounded.ts';
import { removeHome, Workspace } from './support/workspace.ts';

const cells = process.env['LONG'] === '1' ? CELLS : SHORT_CELLS;
const table = new ResultTable();

let gateway: AgentsGateway;
let loopback: LoopbackOnly;
let workspace: Workspace;

beforeAll(async () => {
  workspace = new Workspace('agents');
  gateway = await startAgentsGateway();
  loopback = await startLoopbackOnly(gateway.baseUrl, workspace.folder('socket'));
});
afterAll(async () => {
  await loopback?.stop();
  await gateway?.stop();
  workspace?.remove();
  process.stdout.write(`\n${table.render()}\n\nAgents reach only the gateway, by ${loopback.kind}.\n`);
});

it('lets agents reach the gateway and nothing else', async () => {
  const reach = (url: string) =>
    `fetch(${JSON.stringify(url)}).then((response) => console.log(response.status), () => console.log('unreachable'))`;
  const cwd = workspace.folder('reach');
  const outputs = [];
  for (const url of [`${gateway.baseUrl}/v1/models`, 'https://registry.npmjs.org/', 'http://1.1.1.1/']) {
    const env = { ...loopback.env, NODE_USE_ENV_PROXY: '1' };
    const wrapped = loopback.wrap(process.execPath, ['--eval', reach(url)]);
    outputs.push((await runBounded({ ...wrapped, cwd, env, timeoutMs: 30_000 })).stdout.trim());
  }
  expect(outputs).toEqual([
    '401',
    expect.stringMatching(/^(unreachable|403)$/),
    expect.stringMatching(/^(unreachable|403)$/),
  ]);
});

it.each(cells)('$agent in front of $upstream: $scenario', async (cell) => {
  const agent = AGENTS[cell.agent];
  const folders = workspace.cell([cell.agent, cell.upstream, cell.scenario].join('-').replaceAll(' ', '-'));
  const scenario = scenarioOf(cell, agent, folders.work);
  const setup = await printedSetup(agent.client, agent.model(cell.upstream), gateway);
  prepareHome(agent, setup, folders);
  for (const [name, content] of Object.entries(scenario.given)) writeFileSync(join(folders.work, name), content);
  const first = gateway.callCount();
  const runs: BoundedRun[] = [];
  try {
    for (const [index, turn] of scenario.turns.entries()) {
      const before = gateway.callCount();
      const run = await runAgent({ agent, setup, folders, loopback, prompt: turn.prompt, goOn: index > 0 });
      runs.push(run);
      judgeOutput(run, turn);
      const place = { agent, upstream: cell.upstream };
      judgeUpstream(place, gateway.callsAfter(before), scenario.turns.slice(0, index + 1), scenario.image);
    }
    judgeFiles(folders.work, scenario);
    table.record(cell, 'ok');
  } catch (error) {
    table.record(cell, 'FAIL');
    keepLogs(cell, { runs, calls: gateway.callsAfter(first), home: folders.home, error });
    throw error;
  } finally {
    removeHome(folders);
  }
});
