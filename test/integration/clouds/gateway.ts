import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { type Clouds, startClouds } from '@tollgate/test-support/clouds/clouds';
import { type CloudAnswer, reply } from '@tollgate/test-support/clouds/stand-in';
import type { ArrivedRequest } from '@tollgate/test-support/clouds/verify-sigv4';
import { type Account, Accounts } from '@tollgate/test-support/gateway/accounts';
import { parse, send } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { startStack } from '@tollgate/test-support/gateway/stack';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { CLIENTS } from '../providers/recorded.ts';
import { resultOf } from '../support/recorded-upstream.ts';
import type { CloudEndpoint, RecordedCloud } from './recorded.ts';

const entrySchema = z.looseObject({ id: z.string(), base_url: z.string() });
const modelSchema = z.looseObject({
  price: z.record(z.string(), z.unknown()),
  deployments: z.array(z.looseObject({ provider: z.string() })).min(1),
});
const starterSchema = z.object({ providers: z.array(entrySchema), models: z.array(modelSchema) });

/** A gateway in front of recorded clouds, with the entries and models of their starter catalogues. */
export interface CloudGateway {
  baseUrl: string;
  account: Account;
  /** The price of the model at an endpoint. */
  priceOf: (endpoint: CloudEndpoint) => Readonly<Record<string, unknown>>;
  /** The bodies of the requests of a run, in order. */
  requests: (run: string) => readonly unknown[];
  record: (requestId: string) => Promise<unknown>;
  stop: () => Promise<void>;
}

/** The model at an endpoint; for errors one of its own for each client, so that none leaves rotation. */
export function modelAt({ name }: CloudEndpoint, error?: { name: string; client: string }): string {
  return error === undefined ? `at-${name}` : `failing/${name}/${error.name.replaceAll(' ', '_')}/${error.client}`;
}

/** The prompt's words that play a scene of an endpoint. */
export function playOf({ name }: CloudEndpoint, play: string): string {
  return `${name} ${play}`;
}

const BALANCE_NANOS = 1_000_000_000_000n;
/** Where the stand-in has the paths of each cloud. */
const PREFIXES = { azure: '/azure-entra', bedrock: '/bedrock', vertex: '/vertex' };

/** Starts it. */
export async function startCloudGateway(recorded: readonly RecordedCloud[]): Promise<CloudGateway> {
  const folder = makeTemporaryFolder();
  const endpoints = recorded.flatMap((cloud) => cloud.endpoints);
  const clouds = await startClouds(
    () => 'http://127.0.0.1:1',
    folder.path,
    (request) => play(request, endpoints),
  );
  const { catalogue, prices } = catalogueOf(recorded, clouds);
  const file = join(folder.path, 'catalogue.json');
  writeFileSync(file, JSON.stringify(catalogue));
  const cleanUp = async () => {
    await clouds.stop();
    folder.remove();
  };
  const stack = await startStack({
    data: join(folder.path, 'data'),
    catalogue: file,
    quiet: true,
    env: { ...clouds.env, ...clouds.aws.webIdentity, BILLING_REQUESTS_PER_MINUTE: '60000' },
  }).catch(async (error: unknown) => {
    await cleanUp();
    throw error;
  });
  const { base_url: baseUrl, grpc } = stack.facts;
  const accounts = new Accounts({ auth: grpc.auth, ledger: grpc.ledger });
  const account = await accounts.create(BALANCE_NANOS);
  const headers = { authorization: `Bearer ${account.key}` };
  return {
    baseUrl,
    account,
    priceOf: ({ name }) => prices.get(name) ?? {},
    requests: (run) =>
      clouds.arrived
        .map(({ body }) => body.toString())
        .filter((body) => body.includes(`in run ${run}.`))
        .map(parse),
    record: async (requestId) => (await send(baseUrl, { path: `/v1/billing/requests/${requestId}`, headers })).json,
    stop: async () => {
      accounts.close();
      await stack.stop();
      await cleanUp();
    },
  };
}

function catalogueOf(recorded: readonly RecordedCloud[], { url }: Clouds) {
  const prices = new Map<string, Readonly<Record<string, unknown>>>();
  const providers: object[] = [];
  const models: object[] = [];
  for (const { id, endpoints } of recorded) {
    const { providers: entries, models: all } = starterOf(id);
    for (const endpoint of endpoints) {
      const { name, entry: entryId, fields, errors } = endpoint;
      const entry = entries.find((each) => each.id === entryId);
      const model = all.find(({ deployments }) => deployments.some(({ provider }) => provider === entryId));
      if (entry === undefined || model === undefined) throw new Error(`${id}.yaml has no model at ${entryId}`);
      prices.set(name, model.price);
      const { pathname } = new URL(entry.base_url);
      const path = fields?.path === undefined ? pathname : pathname.replace(/\/publishers\/.*/, fields.path);
      const protocol = fields && { protocol: fields.protocol };
      providers.push({ ...entry, ...protocol, id: name, base_url: `${url}${PREFIXES[id]}${path}` });
      const failing = errors.flatMap((error) => CLIENTS.map((client) => modelAt(endpoint, { ...error, client })));
      for (const modelId of [modelAt(endpoint), ...failing]) {
        const deployments = model.deployments.map((deployment) => ({ ...deployment, provider: name }));
        models.push({ ...model, id: modelId, deployments });
      }
    }
  }
  return { catalogue: { version: 1, providers, models }, prices };
}

/** A starter catalogue, with names in place of its variables. */
function starterOf(id: string): z.output<typeof starterSchema> {
  const text = readFileSync(join(CHECKOUT, `deploy/catalogue/clouds/${id}.yaml`), 'utf8');
  return starterSchema.parse(parseYaml(text.replaceAll(/\$\{\w+\}/g, 'project-1')));
}

/** Answers a request that a cloud has admitted with what is recorded for the words of its prompt. */
function play(request: ArrivedRequest, endpoints: readonly CloudEndpoint[]): CloudAnswer {
  const body = request.body.toString();
  const [, name, scene, run = ''] = /Play \(([\w-]+) ([\w -]+)\) in run ([\w-]+)\./.exec(body) ?? [];
  const endpoint = endpoints.find((each) => each.name === name);
  const error = endpoint?.errors.find((each) => scene === `error ${each.name}`);
  if (error !== undefined) return reply(error.status, error.body, error.headers);
  const found = endpoint?.scenes.find((each) => each.name === scene);
  const recording = body.includes(resultOf(run)) ? found?.after : found?.answer;
  if (endpoint === undefined || recording === undefined)
    return reply(418, { error: { message: `nothing for ${scene}` } });
  const isStream =
    endpoint.protocol === 'gemini' ? request.url.includes(':stream') : at(parse(body), 'stream') === true;
  if (!isStream) return reply(200, recording.whole);
  const text = recording.stream.map((event) => eventText(event)).join('');
  return reply(200, text, { 'content-type': 'text/event-stream' });
}

function eventText(event: object | string): string {
  const type = at(event, 'type');
  const name = typeof type === 'string' ? `event: ${type}\n` : '';
  return `${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
}
