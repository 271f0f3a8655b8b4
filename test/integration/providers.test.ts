import { randomUUID } from 'node:crypto';
import { ENDPOINTS, withKey } from '@tollgate/test-support/gateway/endpoints';
import { open, parse } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { nanos } from '@tollgate/test-support/gateway/money';
import { readStream } from '@tollgate/test-support/gateway/sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Driver, ProtocolName, SdkResponse } from '../sdk/scenario.ts';
import { PROVIDERS } from './providers/index.ts';
import type { Quantities, RecordedEndpoint, Recording, Scene } from './providers/recorded.ts';
import { Cells } from './support/provider-table.ts';
import { failingModel, modelAt, type RecordedGateway, startRecordedGateway } from './support/recorded-gateway.ts';
import { ask, costOf, DRIVERS, MODES, type Mode, playScene, user } from './support/recorded-play.ts';
import { promptOf } from './support/recorded-upstream.ts';
import type { StarterModel } from './support/starter-catalogue.ts';

/*
 * Official SDKs of all four protocols, through the gateway, to recorded answers of each provider.
 */

let gateway: RecordedGateway;
const cells = new Cells(PROVIDERS);

beforeAll(async () => {
  gateway = await startRecordedGateway(PROVIDERS);
});
afterAll(() => gateway?.stop());

describe.each(PROVIDERS)('$name', ({ id, endpoints }) => {
  describe.each(endpoints)('$entry', (endpoint) => {
    describe.each(DRIVERS)('a client of $protocol', (driver) => {
      const scenes = endpoint.scenes.filter(
        ({ clients, asIs }) => asIs !== driver.protocol && (clients?.includes(driver.protocol) ?? true),
      );
      it.concurrent.each(scenes.flatMap((scene) => MODES.map((mode) => ({ scene, mode, name: scene.name }))))(
        'gets $name, $mode, and the bill for it',
        async ({ scene, mode }) => {
          await playRecorded(id, endpoint, scene, driver, mode);
          cells.prove(endpoint, scene, mode);
        },
      );

      const unreadable = endpoint.scenes.filter(({ asIs }) => asIs === driver.protocol);
      it.concurrent.each(unreadable.flatMap((scene) => MODES.map((mode) => ({ scene, mode, name: scene.name }))))(
        'gets $name as it is, $mode, and the bill for it',
        async ({ scene, mode }) => {
          await passOn(id, endpoint, scene, driver, mode);
        },
      );

      it.concurrent.each(endpoint.errors)('gets $expected.status for $name', async (error) => {
        const { name, expected } = error;
        const model = failingModel(endpoint.entry, name, driver.protocol);
        for (const mode of MODES) {
          const turns = [user(promptOf(`error ${name}`, randomUUID()))];
          const response = await ask({ ...gateway, driver, mode }, model, { turns });
          expectError(response, {
            name,
            ...expected,
            protocol: driver.protocol,
            mode,
            body: JSON.stringify(error.body),
          });
        }
        cells.proveError(endpoint);
      });
    });
  });
});

describe('docs/providers/README.md', () => {
  it('has the table of what these tests have shown', () => {
    cells.expectTable();
  });
});

async function playRecorded(
  id: string,
  endpoint: RecordedEndpoint,
  scene: Scene,
  driver: Driver,
  mode: Mode,
): Promise<void> {
  const play = { model: modelAt(endpoint.entry), name: scene.name, scene, run: randomUUID() };
  const isAsIs = endpoint.unusualUsage === true && gateway.upstream.protocolOf(endpoint) === driver.protocol;
  await playScene({ ...gateway, driver, mode }, play, (response, recording) =>
    expectAnswer(response, recording, { mode, model: modelOf(id), driver, isAsIs }),
  );
  if (scene.after !== undefined) expectReturned(scene, gateway.upstream.requests(play.run).at(-1));
}

/** Without an SDK: the client has the provider's own answer, with the gateway's cost in place of the provider's. */
async function passOn(
  id: string,
  endpoint: RecordedEndpoint,
  { name, answer }: Scene,
  { protocol }: Driver,
  mode: Mode,
): Promise<void> {
  const { baseUrl, account } = gateway;
  const stream = mode === 'streamed';
  const said = ENDPOINTS.find((each) => each.protocol === protocol);
  if (said === undefined) throw new Error(protocol);
  const wire = said.request({ model: modelAt(endpoint.entry), text: promptOf(name, randomUUID()), stream });
  const response = await readStream(await open(baseUrl, withKey(account.key, wire)));
  const received = stream ? response.chunks : [parse(response.raw)];
  expect(received.map(withoutPrices)).toEqual((stream ? answer.stream : [answer.whole]).map(withoutPrices));
  expect(response.raw).not.toContain('cost_usd');
  const last = received.at(-1);
  const shown = at(stream ? at(last, 'response') : last, 'usage', 'cost');
  await expectBill(response.headers['x-request-id'], nanos(String(shown)), answer.usage, modelOf(id));
}

/** What the gateway leaves as it is. */
function withoutPrices(value: unknown): unknown {
  const edited = new Set(['model', 'cost', 'tool_calls_details']);
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) => (edited.has(key) ? undefined : inner));
}

function modelOf(id: string): StarterModel {
  const model = gateway.models.get(id);
  if (model === undefined) throw new Error(`${id} has no model`);
  return model;
}

interface Context {
  mode: Mode;
  model: StarterModel;
  driver: Driver;
  /** The client gets the provider's own usage, see RecordedEndpoint. */
  isAsIs: boolean;
}

/** The client has all of the answer and its cost, and the bill is that of the model's price. */
async function expectAnswer(
  response: SdkResponse,
  recording: Recording,
  { mode, model, driver, isAsIs }: Context,
): Promise<void> {
  const { text, thoughts = '', calls = [], usage } = recording;
  const counted = mode === 'streamed' ? (recording.streamUsage ?? usage) : usage;
  expect(response).toMatchObject({ error: null, violation: '', text, thoughts });
  expect(response.calls.map(({ name, input }) => ({ name, input }))).toEqual(calls);
  if (!isAsIs) expect(response.usage).toEqual(usageFor(driver, counted));
  await expectBill(response.headers['x-request-id'], nanos(String(response.cost)), counted, model);
}

/** The record and the client have the same usage and cost, which is that of the model's price. */
async function expectBill(requestId: unknown, shown: bigint, counted: Quantities, model: StarterModel): Promise<void> {
  const cost = costOf(counted, model.price);
  const record = await gateway.record(String(requestId));
  expect(record).toMatchObject({ status: 'completed', usage_estimated: false, usage: counted });
  expect(nanos(String(at(record, 'cost')))).toBe(cost);
  expect(shown).toBe(cost);
}

/** As the client's protocol counts: Google's has no cache writes. */
function usageFor({ protocol }: Driver, counted: Quantities): SdkResponse['usage'] {
  const { input, output, reasoning = 0, cache_read: cacheRead = 0, cache_write_5m: written = 0 } = counted;
  const isShown = protocol !== 'gemini';
  return { input: isShown ? input : input + written, cacheRead, cacheWrite: isShown ? written : 0, output, reasoning };
}

/** The provider has its reasoning back where it expects it, and nowhere else. */
function expectReturned({ returned, notReturned = [] }: Scene, request: unknown): void {
  const turns = [at(request, 'messages'), at(request, 'input'), at(request, 'contents')].find(Array.isArray) ?? [];
  const own = turns.filter(
    (turn: unknown) => ['assistant', 'model'].includes(String(at(turn, 'role'))) || isItem(turn),
  );
  expect(own).not.toEqual([]);
  if (returned !== undefined) expect(own).toEqual(expect.arrayContaining([expect.objectContaining(returned)]));
  for (const field of notReturned) expect(own.filter((turn: unknown) => at(turn, field) !== undefined)).toEqual([]);
}

/** An output item of the responses protocol. */
function isItem(turn: unknown): boolean {
  return ['reasoning', 'function_call'].includes(String(at(turn, 'type')));
}

interface ExpectedError {
  protocol: ProtocolName;
  mode: Mode;
  /** What the provider returned. */
  body: string;
  name: string;
  status: number;
  type: string;
  message?: string;
  reason?: string;
  retryAfter?: string;
}

function expectError({ error, headers }: SdkResponse, { protocol, mode, body, ...expected }: ExpectedError): void {
  expect(error, `no error for ${expected.name}`).not.toBeNull();
  // OpenAI's clients get a prompt that is too long as the event of a failed response.
  const isEvent = mode === 'streamed' && expected.reason !== undefined && protocol === 'openai-responses';
  expect(error).toMatchObject({ status: isEvent ? null : expected.status });
  const reported = error?.reported ?? '';
  expect(reported).toContain(expected.type);
  if (expected.message !== undefined) expect(reported).toContain(expected.message);
  if (expected.reason !== undefined) expect(reported).toContain(expected.reason);
  if (expected.retryAfter !== undefined) expect(headers['retry-after']).toBe(expected.retryAfter);
  // What only the operator may know.
  for (const [secret] of body.matchAll(
    /\b(?:org|sk|user|proj|ak)[_-]\w+|https?:[^\s"]+(?:settings|billing|account|console)[^\s"]*/g,
  )) {
    expect(reported).not.toContain(secret);
  }
}
