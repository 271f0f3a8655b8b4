import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { bindServer } from '@tollgate/common/grpc/server';
import { createLogger } from '@tollgate/common/logging';
import {
  AuthScheme,
  Modality,
  type ProbeReport,
  type ProbeTask,
  RouterServiceClient,
  RouterServiceService,
  RouteTable as RouteTableMessage,
} from '@tollgate/proto/router';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { credentialSources } from '../../testing/credential-sources.ts';
import { EXAMPLE_KEY, type ExampleProvider, startExampleProvider } from '../../testing/example-provider.ts';
import { deploymentForTests, providerForTests } from '../../testing/route-fixture.ts';
import { UpstreamClient } from '../exchange/upstream/call.ts';
import { RouteTable } from '../shared/catalogue/route-table.ts';
import { MAX_TASKS, ProbeServer } from './probe-server.ts';

type Stream = ServerDuplexStream<ProbeReport, ProbeTask>;

const WAIT = { timeout: 20_000 };
const upstream = new UpstreamClient();
let provider: ExampleProvider;
let router: Server;
let client: RouterServiceClient;
let probes: ProbeServer;
let routes: { table: RouteTable | undefined };
/** The streams that the ingress opened, and what came over each. */
let streams: { stream: Stream; reports: ProbeReport[] }[];

beforeEach(async () => {
  streams = [];
  provider = await startExampleProvider();
  router = new Server();
  router.addService(RouterServiceService, {
    serveProbes: (stream: Stream) => {
      const reports: ProbeReport[] = [];
      stream.on('data', (report: ProbeReport) => reports.push(report));
      stream.on('error', () => undefined);
      streams.push({ stream, reports });
    },
  });
  const port = await bindServer(router, '127.0.0.1:0', ServerCredentials.createInsecure());
  client = createGrpcClient(RouterServiceClient, `127.0.0.1:${port}`);
  routes = { table: tableOf(provider) };
  probes = new ProbeServer({
    ...credentialSources({ EXAMPLE_API_KEY: EXAMPLE_KEY }),
    upstream,
    router: client,
    routes,
    ingressName: 'test',
    logger: createLogger('test', 'silent'),
  });
  probes.start();
  await vi.waitFor(() => expect(streams).toHaveLength(1), WAIT);
});
afterEach(async () => {
  probes.stop();
  client.close();
  router.forceShutdown();
  await provider.stop();
});

/** A catalogue with one embedding model, whose test is two requests. */
function tableOf({ origin }: ExampleProvider): RouteTable {
  const model = {
    modelId: 'm',
    enabled: true,
    outputModalities: [Modality.EMBEDDING],
    prices: [{ version: 'v', rates: [], tiers: [], options: [], effectiveFromMs: 0n }],
    deployments: [
      deploymentForTests({ credentials: [{ source: { $case: 'environmentVariable', value: 'EXAMPLE_API_KEY' } }] }),
    ],
  };
  const providers = [providerForTests({ baseUrl: `${origin}/v1`, authScheme: AuthScheme.BEARER })];
  return new RouteTable(RouteTableMessage.fromPartial({ version: '1', providers, models: [model] }));
}

function send(taskId: bigint, task: ProbeTask['task'], at = 0): void {
  streams[at]?.stream.write({ taskId, task });
}

const test = (deploymentId = 'm@p', timeoutMs = 60_000): ProbeTask['task'] => ({
  $case: 'test',
  value: { deploymentId, all: false, timeoutMs },
});

/** The reports of a stream by task, once there are so many. */
async function reported(count: number, at = 0): Promise<Map<bigint, ProbeReport['report']>> {
  await vi.waitFor(() => expect(streams[at]?.reports).toHaveLength(count), WAIT);
  return new Map(streams[at]?.reports.map(({ taskId, report }) => [taskId, report]));
}

const failed = (value: string) => ({ $case: 'failure', value });

it('tests a deployment, and says what it does not know', async () => {
  send(1n, test());
  send(2n, test('unknown@p'));
  send(3n, undefined);
  send(4n, { $case: 'credentials', value: {} });
  const reports = await reported(4);
  expect(reports.get(1n)).toMatchObject({ $case: 'test', value: { ingressName: 'test', requests: 2 } });
  expect(reports.get(2n)).toEqual(failed('the ingress does not know the deployment unknown@p yet'));
  expect(reports.get(3n)).toEqual(failed('the ingress does not know this task'));
  expect(reports.get(4n)).toMatchObject({ $case: 'credentials', value: { deployments: [{ deploymentId: 'm@p' }] } });
});

it('tests nothing before it has a catalogue', async () => {
  routes.table = undefined;
  send(1n, test());
  expect((await reported(1)).get(1n)).toEqual(failed('the ingress has no catalogue yet'));
});

it('runs a bounded number of tests, also of a router that it has lost', async () => {
  const answers = provider.hold();
  for (let task = 1; task <= MAX_TASKS; task++) send(BigInt(task), test());
  await vi.waitFor(() => expect(answers.waiting).toBe(MAX_TASKS), WAIT);
  streams[0]?.stream.end();
  await vi.waitFor(() => expect(streams).toHaveLength(2), WAIT);
  send(1n, test(), 1);
  expect((await reported(1, 1)).get(1n)).toEqual(failed('the ingress runs too many tests now; try again'));
  answers.release();
  // Those of the lost stream are not reported to the new one; when they are over, there is room.
  let taskId = 1n;
  await vi.waitFor(async () => {
    taskId += 1n;
    send(taskId, test(), 1);
    expect((await reported(Number(taskId), 1)).get(taskId)).toMatchObject({ $case: 'test' });
  }, WAIT);
  expect(streams[0]?.reports).toEqual([]);
});

it('ends a test in time whose provider does not answer', async () => {
  const answers = provider.hold();
  send(1n, test('m@p', 200));
  const report = (await reported(1)).get(1n);
  expect(report).toMatchObject({ $case: 'test', value: { requests: 1 } });
  expect(report?.$case === 'test' && report.value.checks[0]).toMatchObject({
    name: 'embeddings',
    detail: expect.stringMatching(/^timeout/),
  });
  answers.release();
});
