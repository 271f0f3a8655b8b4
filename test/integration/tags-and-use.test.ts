import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, recordOf } from '@tollgate/test-support/gateway/billing';
import { type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({});
});
afterAll(() => gateway.stop());

async function chat({ key }: Pick<Account, 'key'>): Promise<unknown> {
  const body = { model: 'small', messages: say('Hi'), ...simulate({ output_tokens: 2 }) };
  const response = await gateway.chat(key, body);
  expect(response.status).toBe(200);
  return response.headers['x-request-id'];
}

describe('the tags of a key', () => {
  it('are on the records of its requests, as of their start', async () => {
    const tags = { team: 'search', 'cost-centre': '47:11 "east"' };
    const account = await gateway.accounts.create(1_000_000_000n, { tags });
    const first = await chat(account);
    expect(at(await recordOf(gateway, account, first), 'tags')).toEqual(tags);
    await gateway.accounts.updateKey(account.keyId, { tags: { tags: { team: 'ads' } } });
    const second = await chat(account);
    expect(at(await recordOf(gateway, account, second), 'tags')).toEqual({ team: 'ads' });
    await gateway.accounts.updateKey(account.keyId, { tags: { tags: {} } });
    const third = await chat(account);
    expect(at(await recordOf(gateway, account, third), 'tags')).toEqual({});
    const records = await allRecords(gateway, account);
    expect(records.map((record) => [at(record, 'request_id'), at(record, 'tags')])).toEqual([
      [third, {}],
      [second, { team: 'ads' }],
      [first, tags],
    ]);
  });

  it('are on the records of failed requests', async () => {
    const account = await gateway.accounts.create(1_000_000_000n, { tags: { team: 'search' } });
    const body = { model: 'breakable-1', messages: say('Hi'), ...simulate({ fail: 500 }) };
    const response = await gateway.chat(account.key, body);
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ status: 'failed', tags: { team: 'search' } });
  });
});

describe('the last use of a key', () => {
  it('is reported before the ingress stops, with the time of its request', async () => {
    const account = await gateway.accounts.create(1_000_000_000n);
    const unused = await gateway.accounts.createKey(account.accountId);
    const lastUses = () => gateway.accounts.lastUses(account.accountId);
    expect((await lastUses()).get(account.keyId)).toBe(0);
    const before = Date.now();
    await gateway.send({ path: '/v1/models', headers: { 'x-api-key': account.key } });
    await chat(account);
    const after = Date.now();
    await gateway.stack.restart('ingress');
    const uses = await lastUses();
    expect(uses.get(account.keyId)).toBeGreaterThanOrEqual(before);
    expect(uses.get(account.keyId)).toBeLessThanOrEqual(after);
    expect(uses.get(unused.keyId)).toBe(0);
  });
});
