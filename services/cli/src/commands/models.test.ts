import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { operatorToken } from '@tollgate/common/testing/actors';
import { Outcome, OutcomeKind, RouterServiceClient } from '@tollgate/proto/router';
import { type RouterUnderTest, startRouter } from '@tollgate/router/testing/start-router';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../testing/run-cli.ts';
import { startTokenServer, type TokenServer } from '../../testing/token-server.ts';

const CATALOGUE = `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none }]
models:
  - id: m
    context_window: 9
    max_output_tokens: 1
    price: { input: 1, output: 2, reasoning: 3 }
    deployments: [{ provider: p }, { id: second, provider: p }]
`;

let folder: string;
let router: RouterUnderTest;
let tokens: TokenServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-cli-'));
  const file = join(folder, 'in-use.yaml');
  await writeFile(file, CATALOGUE);
  [router, tokens] = await Promise.all([startRouter({ CATALOGUE_FILE: file }), startTokenServer()]);
});
afterEach(async () => {
  await router.stop();
  await tokens.stop();
  await rm(folder, { recursive: true });
});

function models(...args: string[]) {
  const env = { AUTH_ADDRESS: tokens.address, ROUTER_ADDRESS: router.address };
  return runCli(['models', ...args], { env, cwd: folder });
}

/** The cells of each line of a table. */
function cells(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

describe('models health', () => {
  async function report(...outcomes: Parameters<typeof Outcome.fromPartial>[0][]): Promise<void> {
    const client = createGrpcClient(RouterServiceClient, router.address, undefined, { actorToken: operatorToken });
    const reports = client.reportOutcomes();
    reports.write({ sequence: 1n, outcomes: outcomes.map((outcome) => Outcome.fromPartial(outcome)) });
    await once(reports, 'data');
    reports.end();
    reports.resume();
    await once(reports, 'end');
    client.close();
  }

  it('shows deployments with the outcomes of their last 15 minutes', async () => {
    const started = { deploymentId: 'second', startedAtMs: BigInt(Date.now()) };
    await report(
      { ...started, kind: OutcomeKind.SUCCESS, durationMs: 30, httpStatus: 200 },
      { ...started, kind: OutcomeKind.SUCCESS, durationMs: 10, httpStatus: 200 },
      ...Array.from({ length: 20 }, () => ({ ...started, kind: OutcomeKind.FAILURE, httpStatus: 502 })),
    );
    const { status, stdout, stderr } = await models('health');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [header, untouched, failing] = cells(stdout);
    expect(header?.slice(0, 6)).toEqual(['DEPLOYMENT', 'MODEL', 'PROVIDER', 'STATE', 'OK', 'FAILED']);
    expect(untouched).toEqual(['m@p', 'm', 'p', 'in rotation', '0', '0', '0', '0', '0', 'never', 'never']);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/);
    expect(failing).toEqual([
      ...[
        'second',
        'm',
        'p',
        expect.stringMatching(/^out of rotation until \d{4}-/),
        '2',
        '20',
        '0',
        '0',
        '0',
        '20 ms',
      ],
      ...[time, expect.stringMatching(/Z, status 502$/)],
    ]);
    const json = JSON.parse((await models('health', '--json')).stdout);
    expect(json.deployments).toMatchObject([
      { id: 'm@p', in_rotation: true, paused_until: null, successes: '0', mean_duration_ms: null },
      { id: 'second', in_rotation: false, successes: '2', failures: '20', mean_duration_ms: 20 },
    ]);
  });
});
