import { isSigned, WebhookReceiver } from '@tollgate/ledger/testing/webhook-receiver';
import { DepositKind } from '@tollgate/proto/ledger';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf, billing } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { afterAll, beforeAll, expect, it } from 'vitest';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const { ADJUSTMENT, DISPUTE } = DepositKind;

let receiver: WebhookReceiver;
let gateway: Gateway;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  gateway = await startGateway({
    ingresses: 2,
    ledgers: 2,
    env: { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: SECRET, LOW_BALANCE_THRESHOLDS: '0.009,0.005,0.000001' },
  });
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

/** A chat through one of the ingresses, which uses its full limit of some 600,000 nano-dollars. */
function chat(account: Account, ingress: number, controls: Record<string, unknown> = {}): Promise<WireResponse> {
  const body = {
    model: 'small',
    messages: say('Hi'),
    max_tokens: 1_000,
    ...simulate({ output_tokens: 'max', ...controls }),
  };
  return send(gateway.stack.facts.base_urls[ingress] ?? '', chatRequest(account.key, body));
}

/** The events of an account at the receiver, each once by id. */
function reported(account: Account): { type: unknown; data: unknown }[] {
  const events = new Map<unknown, { type: unknown; data: unknown }>();
  for (const webhook of receiver.received) {
    expect(isSigned(webhook, SECRET)).toBe(true);
    const body: unknown = JSON.parse(webhook.body);
    const event = { type: at(body, 'type'), data: at(body, 'data') };
    if (at(event.data, 'account_id') === account.accountId) events.set(webhook.headers['webhook-id'], event);
  }
  return [...events.values()];
}

it('a balance that falls through two ledgers concurrently sends one event per threshold', async () => {
  const account = await gateway.accounts.create(10_000_000n);
  const responses = await Promise.all(Array.from({ length: 14 }, (_, index) => chat(account, index % 2)));
  expect(responses.map((response) => response.status)).toEqual(responses.map(() => 200));
  await expect.poll(() => reported(account).length).toBe(2);
  // A duplicate would have been written with these, and sent in order of time.
  const later = await gateway.accounts.create(10_000_000n);
  await gateway.accounts.deposit(later.accountId, -6_000_000n, ADJUSTMENT);
  await expect.poll(() => reported(later).length).toBe(2);
  const thresholds = reported(account).map(
    ({ type, data }) => `${type} ${at(data, 'threshold')} ${at(data, 'currency')}`,
  );
  expect(thresholds.sort()).toEqual(['balance.low 0.005 USD', 'balance.low 0.009 USD']);
});

it('a disputed payment that is already spent suspends the account everywhere at once, until it is paid', async () => {
  const account = await gateway.accounts.create(10_000_000n);
  expect((await chat(account, 0)).status).toBe(200);
  expect((await chat(account, 1)).status).toBe(200);
  const before = await balanceOf(gateway, account);
  const open = chat(account, 1, { head_delay_ms: 3_000 });
  // Requests that reached the provider have their hold.
  await expect.poll(() => gateway.simulator.recorder.stats.open, { interval: 20 }).toBe(1);

  await gateway.accounts.deposit(account.accountId, -10_000_000n, DISPUTE);
  for (const ingress of [0, 1]) {
    const refused = await chat(account, ingress);
    expect({ status: refused.status, text: refused.text }).toEqual({
      status: 401,
      text: expect.stringContaining('owes money'),
    });
    const url = textAt(refused.json, 'error', 'details', 'recharge_url');
    expect(at(refused.json, 'error')).toMatchObject({ type: 'invalid_bearer_token', code: 401 });
    expect(url).toMatch(/^https?:/);
    expect(textAt(refused.json, 'error', 'message')).toContain(url);
  }
  expect((await billing(gateway, account, 'balance')).json).toMatchObject({ suspended: true });

  // Open requests end normally and are paid; what they did not use pays a part of the debt.
  expect((await open).status).toBe(200);
  const owed = 10_000_000n - before;
  const paid = async () => {
    const { json } = await billing(gateway, account, 'balance');
    return `${at(json, 'balance')} ${at(json, 'held')}`;
  };
  await expect.poll(paid).toBe('0 0');
  const debt = BigInt(Math.round(Number(at((await billing(gateway, account, 'balance')).json, 'owed')) * 1e9));
  expect(debt).toBeGreaterThan(owed);

  await gateway.accounts.deposit(account.accountId, debt + 5_000_000n);
  expect((await billing(gateway, account, 'balance')).json).toMatchObject({
    balance: '0.005',
    owed: '0',
    suspended: false,
  });
  for (const ingress of [0, 1]) expect((await chat(account, ingress)).status).toBe(200);
  const types = () => reported(account).map(({ type }) => String(type));
  await expect
    .poll(() => types().filter((type) => type.startsWith('account.')))
    .toEqual(['account.suspended', 'account.unsuspended']);
});
