import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTOCOLS, type ProtocolName } from '../scenario.ts';
import { type SimulatedGateway, startSimulatedGateway } from '../support/gateway.ts';
import { FrameworkCell } from './cell.ts';
import { expected, type Mode, SCENARIOS, type Scenario } from './cells.ts';
import { CLIENTS, type Framework, type FrameworkClient } from './clients.ts';
import { FrameworkDriver, JAVASCRIPT, prepareFrameworks } from './driver-process.ts';
import { FrameworkTable } from './results.ts';
import { SCENARIO_RUNS } from './scenarios.ts';

const table = new FrameworkTable();
const drivers = new Map<Framework, FrameworkDriver>();
let gateway: SimulatedGateway;

beforeAll(async () => {
  gateway = await startSimulatedGateway({ fragile: CLIENTS.length });
  const python = await prepareFrameworks();
  for (const { framework } of CLIENTS) {
    if (!drivers.has(framework)) drivers.set(framework, new FrameworkDriver(framework, python));
  }
}, 240_000);

afterAll(async () => {
  process.stdout.write(`\n${table.render()}\n`);
  await Promise.all([...drivers.values()].map((driver) => driver.stop()));
  await gateway?.stop();
});

describe.concurrent.each(CLIENTS)('$id', (client) => {
  describe.each(PROTOCOLS)('with an upstream of %s', (upstream) => {
    for (const scenario of SCENARIOS) {
      for (const mode of modesOf(client, upstream, scenario)) cellTest(client, upstream, scenario, mode);
    }
  });
});

/** Streamed and buffered in turn; both for what differs most between them, and with LONG=1 for all. */
function modesOf(client: FrameworkClient, upstream: ProtocolName, scenario: Scenario): readonly Mode[] {
  if (process.env['LONG'] === '1' || scenario.id === 'reasoning' || scenario.id === 'chat') return scenario.modes;
  const turn = CLIENTS.indexOf(client) + PROTOCOLS.indexOf(upstream) + SCENARIOS.indexOf(scenario);
  const mode = scenario.modes[turn % scenario.modes.length];
  return mode === undefined ? [] : [mode];
}

it('has drivers that compile with the types of the frameworks', async () => {
  await expect(promisify(execFile)('tsc', ['-p', JAVASCRIPT])).resolves.toMatchObject({ stdout: '' });
});

function cellTest(client: FrameworkClient, upstream: ProtocolName, scenario: Scenario, mode: Mode): void {
  const expectation = expected(client, upstream, scenario.id, mode);
  const record = (result: string) => table.record(client, upstream, scenario.id, mode, result);
  if (expectation.kind === 'none') {
    record('-');
    return;
  }
  it(`${scenario.title}, ${mode}: ${expectation.kind}`, async () => {
    record('FAIL');
    const driver = drivers.get(client.framework);
    if (driver === undefined) throw new Error(`${client.framework} has no driver`);
    const facts = { client, upstream, mode, expected: expectation, driver, gateway, recorder: gateway.recorder };
    await SCENARIO_RUNS[scenario.id](new FrameworkCell(facts));
    record(expectation.kind === 'works' ? 'ok' : 'lost');
  });
}
