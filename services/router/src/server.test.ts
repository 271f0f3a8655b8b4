import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { type Outcome, OutcomeKind, RouterServiceClient, type RouteTable } from '@tollgate/proto/router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RouterUnderTest, startRouter } from '../testing/start-router.ts';
import { CONSECUTIVE_FAILURES } from './health/limits.ts';

let folder: string;
let file: string;
let router: RouterUnderTest;
let client: RouterServiceClient;

function catalogue(output: string): string {
  return `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none }]
models:
  - id: m
    context_window: 9
    max_output_tokens: 1
    price: { input: 1, output: ${output} }
    deployments: [{ provider: p }, { id: second, provider: p }]
`;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-router-'));
  file = join(folder, 'catalogue.yaml');
  await writeFile(file, catalogue('1'));
  router = await startRouter({ CATALOGUE_FILE: file });
  client = createGrpcClient(RouterServiceClient, router.address);
});
afterEach(async () => {
  await router.stop();
  client.close();
  await rm(folder, { recursive: true });
});

function watch(): { tables: RouteTable[]; ended: Promise<unknown> } {
  const tables: RouteTable[] = [];
  const stream = client.watchRoutes({ watcherId: 'test' });
  stream.on('data', (table: RouteTable) => tables.push(table));
  return { tables, ended: once(stream, 'end') };
}

function outcome(kind: OutcomeKind, deploymentId = 'second'): Outcome {
  return { deploymentId, kind, startedAtMs: 0n, durationMs: 10, httpStatus: 500, trace: undefined };
}

describe('the router', () => {
  it('returns the full table once', async () => {
    const table = await unaryCall(client.getRoutes.bind(client), {}, { deadlineMs: 5_000 });
    expect(table.models.map((model) => model.modelId)).toEqual(['m']);
    expect(table.version).not.toBe('');
  });

  it('sends the table again when the catalogue changes', async () => {
    const { tables } = watch();
    await vi.waitFor(() => expect(tables).toHaveLength(1), { timeout: 30_000 });
    await writeFile(file, catalogue('2'));
    await vi.waitFor(() => expect(tables).toHaveLength(2), { timeout: 30_000 });
    expect(tables[1]?.version).not.toBe(tables[0]?.version);
    expect(tables[1]?.models[0]?.prices[0]?.version).not.toBe(tables[0]?.models[0]?.prices[0]?.version);
  });

  it('takes a failing deployment out for all watchers, and acknowledges each batch', async () => {
    const { tables } = watch();
    await vi.waitFor(() => expect(tables).toHaveLength(1), { timeout: 30_000 });
    const reports = client.reportOutcomes();
    const acks: bigint[] = [];
    reports.on('data', ({ sequence }) => acks.push(sequence));
    const outcomes = Array.from({ length: CONSECUTIVE_FAILURES }, () => outcome(OutcomeKind.FAILURE));
    reports.write({ sequence: 7n, outcomes });
    reports.write({ sequence: 8n, outcomes: [outcome(OutcomeKind.FAILURE, 'not-there')] });
    await vi.waitFor(() => expect(acks).toEqual([7n, 8n]), { timeout: 30_000 });
    await vi.waitFor(() => expect(tables).toHaveLength(2), { timeout: 30_000 });
    const rotation = tables[1]?.models[0]?.deployments.map((deployment) => deployment.inRotation);
    expect(rotation).toEqual([true, false]);
    reports.end();
    await once(reports, 'end');
  });

  it('refuses a batch that is too large', async () => {
    const reports = client.reportOutcomes();
    const failed = once(reports, 'error');
    reports.resume();
    reports.write({ sequence: 1n, outcomes: Array.from({ length: 1_001 }, () => outcome(OutcomeKind.SUCCESS)) });
    expect(await failed).toMatchObject([{ code: status.INVALID_ARGUMENT }]);
  });

  it('ends its streams when it stops', async () => {
    const { tables, ended } = watch();
    await vi.waitFor(() => expect(tables).toHaveLength(1), { timeout: 30_000 });
    await router.stop();
    await ended;
  });
});
