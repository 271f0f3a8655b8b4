import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { operatorToken } from '@tollgate/common/testing/actors';
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
  client = createGrpcClient(RouterServiceClient, router.address, undefined, { actorToken: operatorToken });
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
  return { deploymentId, kind, durationMs: 10, httpStatus: 500, trace: undefined, furtherDurationsMs: [] };
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

  it('reports the health of deployments by the outcomes of the last minutes', async () => {
    const reports = client.reportOutcomes();
    reports.resume();
    const outcomes = [
      { ...outcome(OutcomeKind.SUCCESS), durationMs: 30, furtherDurationsMs: [11] },
      outcome(OutcomeKind.FAILURE),
      { ...outcome(OutcomeKind.FAILURE), furtherDurationsMs: new Array(CONSECUTIVE_FAILURES - 2).fill(10) },
    ];
    reports.write({ sequence: 1n, outcomes });
    await once(reports, 'data');
    reports.end();
    const { deployments } = await unaryCall(client.getHealth.bind(client), {}, { deadlineMs: 5_000 });
    const untouched = { deploymentId: 'm@p', providerId: 'p', modelId: 'm', inRotation: true, successes: 0n };
    expect(deployments).toMatchObject([
      { ...untouched, pausedUntilMs: 0n, meanDurationMs: 0, lastSuccessAtMs: 0n, lastFailureStatus: 0 },
      {
        deploymentId: 'second',
        inRotation: false,
        successes: 2n,
        failures: BigInt(CONSECUTIVE_FAILURES),
        meanDurationMs: 21,
        lastFailureStatus: 500,
      },
    ]);
    expect(Number(deployments[1]?.pausedUntilMs)).toBeGreaterThan(Date.now());
  });

  it('names the catalogue in use, the lines of its models, and errors of a newer file', async () => {
    const read = () => unaryCall(client.getCatalogue.bind(client), {}, { deadlineMs: 5_000 });
    const first = await read();
    expect(first).toMatchObject({ file, errors: [], models: [{ modelId: 'm', line: 4 }] });
    await writeFile(file, catalogue('1').replace('max_output_tokens: 1', 'max_output_tokens: none'));
    await vi.waitFor(async () => expect((await read()).errors).toHaveLength(1), { timeout: 30_000 });
    const second = await read();
    expect(second.errors).toMatchObject([
      { line: 6, message: expect.stringMatching(/^models\[0\]\.max_output_tokens: /) },
    ]);
    expect(second).toMatchObject({ version: first.version, loadedAtMs: first.loadedAtMs, models: first.models });
  });

  it('compares another catalogue with the one in use, without using it', async () => {
    const compare = (content: string) =>
      unaryCall(client.compareCatalogue.bind(client), { content }, { deadlineMs: 20_000 });
    const table = () => unaryCall(client.getRoutes.bind(client), {}, { deadlineMs: 5_000 });
    const { version } = await table();
    expect(await compare(catalogue('2'))).toEqual({
      errors: [],
      changes: [
        { modelId: 'm', field: 'price.output', before: '1', after: '2' },
        { modelId: 'm', field: 'price.reasoning', before: '1', after: '2' },
      ],
    });
    expect(await compare('version: 1\nmodels: 5\n')).toMatchObject({
      errors: [{ line: 1 }, { line: 2, message: expect.stringMatching(/^models: /) }],
      changes: [],
    });
    expect((await table()).version).toBe(version);
    await expect(compare(`# ${'x'.repeat(1024 * 1024)}`)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it('compares one catalogue at a time, serves other calls meanwhile, and ends with the caller', async () => {
    const compare = (content: string, { signal } = new AbortController()) =>
      unaryCall(client.compareCatalogue.bind(client), { content }, { deadlineMs: 60_000, signal });
    const keys = Array.from({ length: 60_000 }, (_, key) => `k${key}: 1`);
    const caller = new AbortController();
    // A small comparison may overtake the large one, which is refused then.
    const compareLarge = async (): Promise<unknown> => {
      try {
        return await compare(`{${keys.join(', ')}}`, caller);
      } catch (error) {
        if (isGrpcError(error) && error.code === status.RESOURCE_EXHAUSTED) return compareLarge();
        throw error;
      }
    };
    const large = expect(compareLarge()).rejects.toMatchObject({ code: status.CANCELLED });
    await vi.waitFor(() => expect(compare(catalogue('2'))).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED }), {
      timeout: 30_000,
      interval: 10,
    });
    caller.abort();
    await large;
    await vi.waitFor(async () => expect((await compare(catalogue('2'))).changes).toHaveLength(2), {
      timeout: 30_000,
    });
  });

  it('refuses a batch that is too large', async () => {
    const reports = client.reportOutcomes();
    const failed = once(reports, 'error');
    reports.resume();
    const several = { ...outcome(OutcomeKind.SUCCESS), furtherDurationsMs: new Array<number>(500).fill(10) };
    const outcomes = [several, ...Array.from({ length: 500 }, () => outcome(OutcomeKind.SUCCESS))];
    reports.write({ sequence: 1n, outcomes });
    expect(await failed).toMatchObject([{ code: status.INVALID_ARGUMENT }]);
  });

  it('ends its streams when it stops', async () => {
    const { tables, ended } = watch();
    await vi.waitFor(() => expect(tables).toHaveLength(1), { timeout: 30_000 });
    await router.stop();
    await ended;
  });
});
