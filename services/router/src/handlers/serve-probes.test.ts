import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientDuplexStream, status } from '@grpc/grpc-js';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { operatorToken } from '@tollgate/common/testing/actors';
import {
  type ProbeReport,
  type ProbeTask,
  RouterServiceClient,
  type TestProviderRequest,
  TestProviderResponse,
} from '@tollgate/proto/router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type RouterUnderTest, startRouter } from '../../testing/start-router.ts';

const CATALOGUE = `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example/v1", auth: none }]
models:
  - id: m
    context_window: 9
    price: { input: 1 }
    output: [embedding]
    deployments: [{ provider: p }]
`;

let folder: string;
let router: RouterUnderTest;
let client: RouterServiceClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-router-'));
  const file = join(folder, 'catalogue.yaml');
  await writeFile(file, CATALOGUE);
  router = await startRouter({ CATALOGUE_FILE: file });
  client = createGrpcClient(RouterServiceClient, router.address, undefined, { actorToken: operatorToken });
});
afterEach(async () => {
  await router.stop();
  client.close();
  await rm(folder, { recursive: true });
});

const REQUEST: TestProviderRequest = { providerId: 'p', model: '', all: false };
const test = (deadlineMs = 20_000) => unaryCall(client.testProvider.bind(client), REQUEST, { deadlineMs });

/** An ingress that takes tasks; the stream is open once it gets one, whose test stays open. */
async function connectIngress(): Promise<ClientDuplexStream<ProbeReport, ProbeTask>> {
  const ingress = client.serveProbes();
  ingress.on('error', () => undefined);
  ingress.resume();
  const connected = nextTest(ingress).then(() => true);
  // A router without an ingress refuses at once.
  const refused = () => test().catch(() => false);
  while (!(await Promise.race([connected, refused()])));
  return ingress;
}

/** The next test that the ingress gets. */
async function nextTest(ingress: ClientDuplexStream<ProbeReport, ProbeTask>): Promise<ProbeTask> {
  const [task] = await once(ingress, 'data');
  return task;
}

it('has no ingress to ask', async () => {
  await expect(test()).rejects.toMatchObject({ code: status.UNAVAILABLE });
});

it('returns what an ingress reports, of the only model there is', async () => {
  const ingress = await connectIngress();
  const asked = nextTest(ingress);
  const result = test();
  const { taskId, task } = await asked;
  expect(task).toMatchObject({ $case: 'test', value: { deploymentId: 'm@p' } });
  const value = TestProviderResponse.fromPartial({ deploymentId: 'm@p', requests: 2 });
  ingress.write({ taskId, report: { $case: 'test', value } });
  expect(await result).toMatchObject({ deploymentId: 'm@p', requests: 2 });
});

it('fails a test at once when its ingress vanishes', async () => {
  const ingress = await connectIngress();
  const asked = nextTest(ingress);
  const result = expect(test()).rejects.toMatchObject({ code: status.ABORTED });
  await asked;
  ingress.cancel();
  await result;
  await vi.waitFor(() => expect(test()).rejects.toMatchObject({ code: status.UNAVAILABLE }), { timeout: 20_000 });
});
