import { recordOf } from '@tollgate/test-support/gateway/billing';
import { say } from '@tollgate/test-support/gateway/gateway';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { dollars, lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { expect } from 'vitest';
import { operatorOf } from './support/operator.ts';
import { withGateway } from './support/shared-gateway.ts';

const RULES = [
  { model: 'ti*d', markupPpm: 200_000 },
  { model: '*', markupPpm: -100_000 },
];

withGateway.describe("prices of an account's own", () => {
  withGateway('are held, charged and listed; only operators see what is behind them', async ({ gateway }) => {
    const account = await gateway.accounts.create(1_000_000_000n);
    const chat = (model: string) => gateway.chat(account.key, { model, messages: say('Hi') });
    const before = await recordOf(gateway, account, (await chat('tiered')).headers['x-request-id']);
    await gateway.accounts.setPriceRules(account.accountId, RULES);
    const response = await chat('tiered');
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    const own = listAt(before, 'lines').map((line) => {
      const rate = (nanos(textAt(line, 'rate_per_million')) * 12n) / 10n;
      const amount = lineNanos(Number(at(line, 'quantity')), rate);
      return { ...Object(line), rate_per_million: dollars(rate), amount: dollars(amount) };
    });
    expect(own.length).toBeGreaterThan(2);
    expect(at(record, 'lines')).toEqual(own);
    expect(response.headers['x-request-cost']).toBe(textAt(record, 'cost'));
    expect(Object.keys(Object(record)).sort()).toEqual(Object.keys(Object(before)).sort());
    expect(Number(textAt(record, 'hold'))).toBeGreaterThan(Number(textAt(before, 'hold')));
    expect(await recordOf(gateway, account, at(before, 'request_id'))).toEqual(before);

    const headers = { authorization: `Bearer ${account.key}` };
    const listed = await gateway.send({ path: '/v1/models/tiered', headers });
    expect(at(listed.json, 'pricing', 'per_million')).toMatchObject({ output: '14.4' });
    const other = await gateway.send({ path: '/v1/models/odd', headers });
    expect(at(other.json, 'pricing', 'per_million')).toMatchObject({ input: '0.00045' });

    const path = { account_id: account.accountId, id: textAt(record, 'request_id') };
    const bill = await operatorOf(gateway).ok('GET /accounts/{account_id}/requests/{id}', { path });
    expect(bill).toMatchObject({ cost: textAt(record, 'cost'), base_cost: textAt(before, 'cost') });
    expect(Number(bill.margin)).toBeCloseTo(Number(bill.cost) - Number(bill.base_cost), 12);
    const plain = { account_id: account.accountId, id: textAt(before, 'request_id') };
    const atList = await operatorOf(gateway).ok('GET /accounts/{account_id}/requests/{id}', { path: plain });
    expect(atList).not.toHaveProperty('base_cost');
  });
});
