import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FEATURES, type Feature } from './expectations.ts';
import { RUNS } from './features/index.ts';
import { LANGUAGES, PROTOCOLS, type ProtocolName, type SdkResponse, Unsupported } from './scenario.ts';
import { FRAGILE_MODELS } from './support/catalogue.ts';
import { Cell } from './support/cell.ts';
import { Drivers } from './support/drivers.ts';
import { type SimulatedGateway, startSimulatedGateway } from './support/gateway.ts';
import { type CellResult, LEGEND, ResultTable } from './support/table.ts';
import { type Way, waysOf } from './ways.ts';

const table = new ResultTable();
let drivers: Drivers;
let gateway: SimulatedGateway;

beforeAll(async () => {
  gateway = await startSimulatedGateway({ fragile: FRAGILE_MODELS });
  drivers = await Drivers.start();
}, 240_000);

afterAll(async () => {
  process.stdout.write(`\n${table.render()}\n\n${LEGEND}\n`);
  await drivers?.stop();
  await gateway?.stop();
});

const WAITING = FEATURES.filter((feature) => feature.waits === true);

describePairs(FEATURES.filter((feature) => feature.waits !== true));
// All cells of a feature: they need hardly any processor time.
vi.setConfig({ maxConcurrency: LANGUAGES.length * PROTOCOLS.length ** 2 });
if (WAITING.length > 0) describe.concurrent('at the same time', () => describePairs(WAITING));

function describePairs(features: readonly Feature[]): void {
  describe.each(PROTOCOLS)('a client of %s', (client) => {
    describe.each(PROTOCOLS)('with an upstream of %s', (upstream) => {
      for (const feature of features) {
        const ways = waysOf(client, upstream, FEATURES.indexOf(feature), feature.modes);
        for (const way of ways) cellTest(client, upstream, feature, way);
      }
    });
  });
}

function cellTest(client: ProtocolName, upstream: ProtocolName, feature: Feature, { language, mode }: Way): void {
  const expected = feature.expected(client, upstream);
  const record = (result: CellResult) => table.record(feature.id, client, upstream, result);
  if (expected.kind === 'none') {
    record('none');
    return;
  }
  const field = 'field' in expected ? ` (${expected.field})` : '';
  it(`${feature.title}, ${language}, ${mode}: ${expected.kind}${field}`, async () => {
    record('FAILED');
    const run = RUNS[feature.id];
    if (run === undefined) throw new Error(`${feature.id} has no run`);
    const cell = new Cell({
      driver: drivers.get(language, client),
      upstream,
      mode,
      gateway,
      recorder: gateway.recorder,
    });
    const response = await run.ask(cell).catch((error: unknown) => {
      throw error instanceof Unsupported ? new Error(`the SDK does not support ${error.message}`) : error;
    });
    if (expected.kind === 'rejected') expectRejection(cell, response, expected.field);
    else {
      expectWarnings(response, expected.kind === 'warned' ? expected.field : undefined);
      if (run.unfinished !== true) expectResponse(cell, response);
      await run.check({ cell, response, expected });
    }
    record(expected.kind);
  });
}

/** Rejected by the gateway before any call, with the field's name in the client's protocol. */
function expectRejection(cell: Cell, response: SdkResponse, field: string): void {
  expect(response.error, 'rejected').toMatchObject({ status: 400, reported: expect.stringContaining(field) });
  expect(response.error?.reported).toContain('invalid_request_error');
  expect(cell.calls(response)).toEqual([]);
}

function expectWarnings(response: SdkResponse, field: string | undefined): void {
  const header = response.headers['x-tollgate-warnings'];
  const warnings = header === undefined ? [] : header.split('; ');
  if (field === undefined) expect(warnings).toEqual([]);
  else {
    expect(warnings, 'warned').not.toEqual([]);
    for (const warning of warnings) expect(warning).toContain(field);
  }
}

const ID_OF: Readonly<Record<ProtocolName, RegExp>> = {
  'openai-chat': /^chatcmpl-[A-Za-z0-9]{24}$/,
  'openai-responses': /^resp_[A-Za-z0-9]{24}$/,
  'anthropic-messages': /^msg_[A-Za-z0-9]{24}$/,
  gemini: /^.+$/,
};

/** What holds for every complete response. */
function expectResponse(cell: Cell, response: SdkResponse): void {
  expect(response.error).toBeNull();
  expect(response.violation).toBe('');
  expect(response.model).toBe(`on-${cell.upstream}`);
  // Between protocols, the gateway creates the id in the client's format.
  expect(response.id).toMatch(cell.client === cell.upstream ? /./ : ID_OF[cell.client]);
  expect(response.usage).not.toBeNull();
  // Google's SDK for Python drops unknown fields.
  const hasCost = cell.driver.language !== 'Python' || cell.client !== 'gemini';
  if (hasCost) expect(response.cost).toBeGreaterThan(0);
  // Buffered responses also have the exact cost in a header.
  const reported = response.headers['x-request-cost'];
  if (cell.mode === 'stream') expect(reported).toBeUndefined();
  else if (hasCost) expect(Number(reported)).toBe(response.cost);
  else expect(Number(reported)).toBeGreaterThan(0);
}

/** Without a run, a feature would appear to work. */
it('has a run for every feature of the table', () => {
  const missing = FEATURES.filter((feature) => RUNS[feature.id] === undefined).map((feature) => feature.id);
  expect(missing).toEqual([]);
});
