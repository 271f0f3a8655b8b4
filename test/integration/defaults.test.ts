import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { dollars } from '@tollgate/test-support/gateway/money';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullRequest, PLENTY, PricedRequests } from './support/priced-requests.ts';

const INGRESSES = 3;

let gateway: Gateway;
let requests: PricedRequests;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: INGRESSES, ledgers: 2 });
  requests = new PricedRequests(gateway);
});
afterAll(() => gateway.stop());

/** The responses of all ingresses, one after the other. */
async function everywhere(key: string, headers: Record<string, string> = {}) {
  const responses = [];
  for (let ingress = 0; ingress < INGRESSES; ingress += 1) {
    responses.push(await requests.chatAt(ingress, key, fullRequest(), headers));
  }
  return responses;
}

describe('a default of a project', () => {
  it('for each key limits keys that are in use, each by itself, and lets them go on once it is raised', async () => {
    const { hold, cost } = await requests.pricesOf(fullRequest());
    const { accountId } = await gateway.accounts.create(PLENTY);
    const projectId = await gateway.accounts.createProject(accountId, {});
    const used = await gateway.accounts.createKey(accountId, { projectId, caps: { totalNanos: PLENTY } });
    const fresh = await gateway.accounts.createKey(accountId, { projectId });
    expect((await requests.chatAt(0, used.key, fullRequest())).status).toBe(200);
    await expect.poll(() => requests.spentBy({ accountId, ...used })).toBe(cost);

    const limit = cost + hold - 1n;
    await gateway.accounts.updateProject(accountId, projectId, { eachKey: { totalNanos: limit } });
    for (const { status, json } of await everywhere(used.key)) {
      expect(status).toBe(400);
      expect(at(json, 'error', 'details', 'limit')).toMatchObject({
        ...{ scope: 'key', id: used.keyId, window: 'total' },
        ...{ amount: dollars(limit), spent: dollars(cost) },
      });
    }
    const limits = await requests.getAt('/v1/billing/limits', used.key);
    expect(at(limits.json, 'data', 1)).toMatchObject({ scope: 'key', amount: dollars(limit), spent: dollars(cost) });
    expect((await requests.chatAt(1, fresh.key, fullRequest())).status).toBe(200);

    await gateway.accounts.updateProject(accountId, projectId, { eachKey: { totalNanos: cost + hold } });
    expect((await requests.chatAt(2, used.key, fullRequest())).status).toBe(200);
  });

  it('for each session limits sessions by name, below what a header asks for', async () => {
    const { hold, cost } = await requests.pricesOf(fullRequest());
    const account = await gateway.accounts.create(PLENTY);
    const { accountId } = account;
    const projectId = await gateway.accounts.createProject(accountId, { eachSessionNanos: cost + hold });
    const { key } = await gateway.accounts.createKey(accountId, { projectId });
    const inSession = (name: string) => ({ 'session-id': name, 'x-tollgate-session-limit': '1' });
    for (const name of ['one', 'two']) {
      const statuses = (await everywhere(key, inSession(name))).map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 400]);
    }
    expect((await everywhere(key)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
