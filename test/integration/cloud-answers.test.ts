import { randomUUID } from 'node:crypto';
import { ENDPOINTS, withKey } from '@tollgate/test-support/gateway/endpoints';
import { open, parse } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { nanos } from '@tollgate/test-support/gateway/money';
import { readStream } from '@tollgate/test-support/gateway/sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Driver, SdkResponse } from '../sdk/scenario.ts';
import { azure } from './clouds/azure.ts';
import { bedrock } from './clouds/bedrock.ts';
import { type CloudGateway, modelAt, playOf, startCloudGateway } from './clouds/gateway.ts';
import type { CloudEndpoint } from './clouds/recorded.ts';
import { vertex } from './clouds/vertex.ts';
import type { Recording, Scene } from './providers/recorded.ts';
import { providerPage } from './support/provider-pages.ts';
import { ask, costOf, DRIVERS, MODES, type Mode, playScene, user } from './support/recorded-play.ts';
import { promptOf } from './support/recorded-upstream.ts';

/*
 * Official SDKs of all four protocols, through the gateway with the starter catalogues, to what the three clouds answer: errors of
 * their own, and the members that they add. Each call is authorized as in cloud-identities.test.ts.
 */

const CLOUDS = [azure, bedrock, vertex];

let gateway: CloudGateway;
/** Cells of the table that these tests have proved. */
const proved = new Set<string>();

beforeAll(async () => {
  gateway = await startCloudGateway(CLOUDS);
});
afterAll(() => gateway?.stop());

describe.each(CLOUDS)('$name', ({ id, endpoints }) => {
  describe.each(endpoints)('$name', (endpoint) => {
    describe.each(DRIVERS)('a client of $protocol', (driver) => {
      const scenes = endpoint.scenes.flatMap((scene) => MODES.map((mode) => ({ scene, mode, name: scene.name })));
      it.concurrent.each(scenes)('gets $name, $mode, and the bill for it', async ({ scene, mode }) => {
        await playCloud(endpoint, scene, driver, mode);
        const columns = scene.name === 'text' ? [mode, 'usage'] : [scene.name];
        for (const column of columns) proved.add(`${id} ${column}`);
      });

      it.concurrent.each(endpoint.errors)('gets $expected.status for $name', async ({ name, body, expected }) => {
        const model = modelAt(endpoint, { name, client: driver.protocol });
        for (const mode of MODES) {
          const turns = [user(promptOf(playOf(endpoint, `error ${name}`), randomUUID()))];
          const { error } = await ask({ ...gateway, driver, mode }, model, { turns });
          expect(error, name).not.toBeNull();
          // OpenAI's clients get a prompt that is too long as the event of a failed response.
          const isEvent = mode === 'streamed' && expected.reason && driver.protocol === 'openai-responses';
          expect(error?.status).toBe(isEvent ? null : expected.status);
          for (const text of [expected.type, expected.message ?? '', expected.reason ?? '']) {
            expect(error?.reported).toContain(text);
          }
          // What only the operator may know.
          const inner = JSON.stringify(body);
          for (const [secret] of inner.matchAll(/arn:[\w:/-]+|principal `\w+`|Project `\d+`/g)) {
            expect(error?.reported).not.toContain(secret);
          }
        }
        proved.add(`${id} errors`);
      });
    });

    it.each(MODES)('passes on what the cloud adds, %s', async (mode) => {
      const said = ENDPOINTS.find(({ protocol }) => protocol === endpoint.protocol);
      const [scene] = endpoint.scenes;
      if (said === undefined || scene === undefined) throw new Error(endpoint.protocol);
      const stream = mode === 'streamed';
      const text = promptOf(playOf(endpoint, scene.name), randomUUID());
      const wire = withKey(gateway.account.key, said.request({ model: modelAt(endpoint), text, stream }));
      const response = await readStream(await open(gateway.baseUrl, wire));
      expect(response.status).toBe(200);
      const received = stream ? response.chunks : [parse(response.raw)];
      const sent = stream ? scene.answer.stream.filter((event) => typeof event !== 'string') : [scene.answer.whole];
      for (const name of endpoint.passed) {
        const members = membersOf(sent, name);
        expect(members).not.toEqual([]);
        expect(membersOf(received, name), name).toEqual(members);
      }
    });
  });
});

describe('docs/providers/README.md', () => {
  it('has the rows of what these tests have shown', () => {
    const columns = ['whole', 'streamed', 'tools', 'reasoning', 'usage', 'errors'];
    const lines = providerPage('README').split('\n');
    for (const { id, name } of CLOUDS) {
      expect(columns.filter((column) => !proved.has(`${id} ${column}`))).toEqual([]);
      expect(lines).toContain(`| [${name}](${id}.md) | |`);
    }
  });
});

/** Every value of a member, at any depth, in order. */
function membersOf(values: readonly unknown[], name: string): unknown[] {
  const found: unknown[] = [];
  JSON.stringify(values, (key, value: unknown) => {
    if (key === name) found.push(value);
    return value;
  });
  return found;
}

async function playCloud(endpoint: CloudEndpoint, scene: Scene, driver: Driver, mode: Mode): Promise<void> {
  const play = { model: modelAt(endpoint), name: playOf(endpoint, scene.name), scene, run: randomUUID() };
  await playScene({ ...gateway, driver, mode }, play, (response, recording) =>
    expectAnswer(response, recording, endpoint),
  );
  if (scene.returned !== undefined)
    expect(turnsOf(gateway.requests(play.run).at(-1))).toContainEqual(returnedIn(scene));
}

/** The turns of a request. */
function turnsOf(request: unknown): unknown {
  return at(request, 'messages') ?? at(request, 'input') ?? at(request, 'contents');
}

function returnedIn({ returned }: Scene): unknown {
  return expect.objectContaining(Object(returned));
}

/** The client has all of the answer and its cost, and the bill is that of the starter catalogue's price. */
async function expectAnswer(response: SdkResponse, recording: Recording, endpoint: CloudEndpoint): Promise<void> {
  const { text, thoughts = '', calls = [], usage } = recording;
  expect(response).toMatchObject({ error: null, violation: '', text, thoughts });
  expect(response.calls.map(({ name, input }) => ({ name, input }))).toEqual(calls);
  const record = await gateway.record(response.headers['x-request-id'] ?? '');
  expect(record).toMatchObject({ status: 'completed', usage_estimated: false, usage });
  const cost = costOf(usage, gateway.priceOf(endpoint));
  expect(nanos(String(at(record, 'cost')))).toBe(cost);
  expect(nanos(String(response.cost))).toBe(cost);
}
