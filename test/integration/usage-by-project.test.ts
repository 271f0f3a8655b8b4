import { type OperatorClients, openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { GetUsageRequest, ListChargesRequest, ListRefusalsRequest, UsageInterval } from '@tollgate/proto/ledger';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send } from '@tollgate/test-support/gateway/http';
import { textAt } from '@tollgate/test-support/gateway/json';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fullRequest, PLENTY, PricedRequests } from './support/priced-requests.ts';

const CALL = { deadlineMs: 20_000 };

let gateway: Gateway;
let requests: PricedRequests;
let clients: OperatorClients;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: 2, ledgers: 2 });
  requests = new PricedRequests(gateway);
  const { auth, ledger } = gateway.stack.facts.grpc;
  clients = openOperatorClients({ auth, ledger });
});
afterAll(async () => {
  clients.close();
  await gateway.stop();
});

it('stays with the project and owner in which requests were made when their key moves', async () => {
  const body = fullRequest();
  const { cost } = await requests.pricesOf(body);
  const { accountId, key } = await gateway.accounts.create(PLENTY);
  const [before, after] = [
    await gateway.accounts.createProject(accountId, {}),
    await gateway.accounts.createProject(accountId, {}),
  ];
  const ci = await gateway.accounts.createServiceAccount(accountId, before, {});
  const moving = await gateway.accounts.createKey(accountId, { projectId: before, serviceAccountId: ci });
  const headers = { authorization: `Bearer ${moving.key}`, 'content-type': 'application/json' };
  const made = await send(requests.urlOf(0), {
    ...{ method: 'POST', path: '/v1/keys', headers },
    body: JSON.stringify({ name: 'run' }),
  });
  const child = textAt(made.json, 'secret');
  const chat = async (at: number, secret: string) => expect((await requests.chatAt(at, secret, body)).status).toBe(200);
  await chat(0, key);
  await chat(0, moving.key);
  await chat(1, child);
  const refused = { ...body, model: 'none' };
  expect((await requests.chatAt(0, child, refused)).status).toBe(400);
  await gateway.accounts.updateKey(moving.keyId, { accountId, projectId: after, serviceAccountId: '' });
  await chat(0, moving.key);
  await chat(1, moving.key);
  await chat(1, child);

  const range = { accountId, startMs: BigInt(Date.now() - 3_600_000), endMs: BigInt(Date.now() + 60_000) };
  const usage = async (request: Parameters<typeof GetUsageRequest.fromPartial>[0]) => {
    const all = { ...range, interval: UsageInterval.MONTH, totals: true, groupByProject: true, groupByOwner: true };
    const { ledger } = clients;
    const { rows } = await unaryCall(
      ledger.getUsage.bind(ledger),
      GetUsageRequest.fromPartial({ ...all, ...request }),
      CALL,
    );
    return rows.map((row) => [row.projectId, row.ownerId, Number(row.requests), row.costNanos]);
  };
  await expect
    .poll(async () => (await usage({})).toSorted())
    .toEqual(
      [
        [accountId, '', 1, cost],
        [before, ci, 2, 2n * cost],
        [after, '', 3, 3n * cost],
      ].toSorted(),
    );
  expect(await usage({ projectIds: [after] })).toEqual([[after, '', 3, 3n * cost]]);
  expect(await usage({ ownerIds: [ci] })).toEqual([[before, ci, 2, 2n * cost]]);
  const counted = async (filter: { projectId?: string; ownerId?: string }) => {
    const { ledger } = clients;
    const request = ListChargesRequest.fromPartial({ ...range, limit: 100, ...filter });
    return (await unaryCall(ledger.listCharges.bind(ledger), request, CALL)).charges.length;
  };
  expect(await counted({ projectId: before })).toBe(2);
  expect(await counted({ projectId: after })).toBe(3);
  expect(await counted({ projectId: accountId })).toBe(1);
  expect(await counted({ ownerId: ci, projectId: after })).toBe(0);
  // Refusals arrive in batches.
  const refusals = async (projectId: string) => {
    const { ledger } = clients;
    const request = ListRefusalsRequest.fromPartial({ ...range, limit: 100, projectId });
    return (await unaryCall(ledger.listRefusals.bind(ledger), request, CALL)).refusals.map(({ model }) => model);
  };
  await expect.poll(() => refusals(before)).toEqual(['none']);
  expect(await refusals(after)).toEqual([]);
});
