import { newId } from '@tollgate/common/ids';
import { inTransaction } from '@tollgate/common/postgres/pool';
import { findFreePort } from '@tollgate/local';
import { EventState } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLedger, type LedgerFixture, silent } from '../../testing/ledger-fixture.ts';
import { isSigned, WebhookReceiver } from '../../testing/webhook-receiver.ts';
import { balanceLow } from '../events/account-events.ts';
import { insertEvents, listEvents } from '../store/events.ts';
import { createEventDelivery, delayAfter } from './deliver-events.ts';
import { removeOldEvents } from './retention.ts';

const SECRETS = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);
const running = new AbortController().signal;

let ledger: LedgerFixture;
let receiver: WebhookReceiver;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
beforeEach(async () => {
  receiver = await WebhookReceiver.start(await findFreePort());
});
afterEach(() => receiver.stop());

/** A sender of its own, as another replica would be. */
function sender(options: { url?: string | undefined; timeoutMs?: number; nowMs?: number } = {}) {
  const { url = receiver.url, timeoutMs = 2_000, nowMs = 1_750_000_000_999 } = options;
  const secrets = SECRETS.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64'));
  return createEventDelivery(
    ledger.pool,
    { target: { url, secrets, timeoutMs }, now: () => nowMs, random: () => 0 },
    silent,
  );
}

/** Writes this many events of a new account to the outbox. */
async function happened(count = 1): Promise<string> {
  const accountId = newId();
  const events = Array.from({ length: count }, () => balanceLow(accountId, 5_000_000_000n, 4_500_000_000n));
  await inTransaction(ledger.pool, (client) => insertEvents(client, events, 1_700_000_000_123n));
  return accountId;
}

async function only(accountId: string) {
  const [event] = await listEvents(ledger.pool, accountId, undefined, 10);
  if (event === undefined) throw new Error('there is no event');
  return event;
}

/** Lets the next try of an account's events be due now. */
async function waitIsOver(accountId: string): Promise<void> {
  await ledger.pool.query(
    `UPDATE ledger.events SET next_attempt_at = clock_timestamp() WHERE account_id = $1 AND state = 'pending'`,
    [accountId],
  );
}

describe('a webhook', () => {
  it('is sent once, signed with each secret over id, time and the very bytes', async () => {
    const accountId = await happened();
    await sender()(running);
    await sender()(running);
    expect(receiver.received).toHaveLength(1);
    const [webhook] = receiver.received;
    if (webhook === undefined) throw new Error('nothing was received');
    const event = await only(accountId);
    expect(webhook.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event.eventId,
      'webhook-timestamp': '1750000000',
    });
    for (const secret of SECRETS) expect(isSigned(webhook, secret)).toBe(true);
    expect(isSigned({ ...webhook, body: `${webhook.body} ` }, SECRETS[0] ?? '')).toBe(false);
    expect(JSON.parse(webhook.body)).toEqual({
      type: 'balance.low',
      timestamp: '2023-11-14T22:13:20.123Z',
      data: { account_id: accountId, threshold: '5', balance: '4.5', currency: 'USD' },
    });
    expect(event).toMatchObject({ state: EventState.DELIVERED, attempts: 1, nextAttemptAtMs: 0n, lastError: '' });
  });

  it('is sent again under the same id after a failure, once its wait is over', async () => {
    const accountId = await happened();
    const failures = [500, 302, 404];
    for (const status of failures) {
      receiver.respond = (res) => res.writeHead(status, { location: `${receiver.url}/elsewhere` }).end('x'.repeat(100));
      await sender()(running);
      expect(await only(accountId)).toMatchObject({ state: EventState.PENDING, lastError: `HTTP status ${status}` });
      const before = receiver.received.length;
      await sender()(running);
      expect(receiver.received).toHaveLength(before);
      await waitIsOver(accountId);
    }
    receiver.respond = (res) => res.writeHead(200).end();
    await sender()(running);
    expect(receiver.received).toHaveLength(failures.length + 1);
    expect(new Set(receiver.received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    expect(await only(accountId)).toMatchObject({ state: EventState.DELIVERED, attempts: failures.length + 1 });
  });

  it('is sent again after a refused connection and after a missing response', async () => {
    const accountId = await happened();
    const { port } = receiver;
    await receiver.stop();
    await sender({ url: `http://127.0.0.1:${port}/hook` })(running);
    const refused = await only(accountId);
    expect(refused).toMatchObject({ state: EventState.PENDING, attempts: 1, lastError: 'ECONNREFUSED' });
    const waitMs = Number(refused.nextAttemptAtMs) - Date.now();
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(delayAfter(1, 0) ?? 0);

    receiver = await WebhookReceiver.start(port);
    receiver.respond = () => undefined;
    await waitIsOver(accountId);
    await sender({ timeoutMs: 100 })(running);
    expect(await only(accountId)).toMatchObject({ attempts: 2, lastError: 'no response within 100 ms' });
    receiver.respond = (res) => res.writeHead(200).end();
    await waitIsOver(accountId);
    await sender()(running);
    expect(await only(accountId)).toMatchObject({ state: EventState.DELIVERED, attempts: 3 });
  });

  it('is delivered by the head of a response whose body never ends', async () => {
    const accountId = await happened();
    receiver.respond = (res) => {
      res.writeHead(200).write('x');
    };
    await sender()(running);
    expect(await only(accountId)).toMatchObject({ state: EventState.DELIVERED });
  });

  it('is given up after its last try, or at once for 410 Gone, and stays listed', async () => {
    const accountId = await happened();
    receiver.respond = (res) => res.writeHead(503).end();
    let tries = 0;
    do {
      await waitIsOver(accountId);
      await sender()(running);
      tries++;
    } while ((await only(accountId)).state === EventState.PENDING && tries < 100);
    expect(tries).toBe(11);
    expect(await only(accountId)).toMatchObject({ state: EventState.GIVEN_UP, attempts: 11, nextAttemptAtMs: 0n });
    const unwanted = await happened();
    receiver.respond = (res) => res.writeHead(410).end();
    await sender()(running);
    expect(await only(unwanted)).toMatchObject({ state: EventState.GIVEN_UP, lastError: 'HTTP status 410' });
  });

  it('is not sent by two senders at the same time', async () => {
    const accountId = await happened(45);
    await Promise.all([sender()(running), sender()(running), sender()(running)]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(45);
    expect(new Set(ids).size).toBe(45);
    const events = await listEvents(ledger.pool, accountId, undefined, 100);
    expect(events.every((event) => event.state === EventState.DELIVERED)).toBe(true);
  });

  it('of a sender that died is sent by another once its claim has run out', async () => {
    const accountId = await happened();
    const stopping = new AbortController();
    receiver.respond = () => stopping.abort();
    await sender()(stopping.signal);
    expect(await only(accountId)).toMatchObject({ state: EventState.PENDING, attempts: 1, lastError: '' });
    receiver.respond = (res) => res.writeHead(200).end();
    await sender()(running);
    expect(receiver.received).toHaveLength(1);
    await waitIsOver(accountId);
    await sender()(running);
    expect(await only(accountId)).toMatchObject({ state: EventState.DELIVERED, attempts: 2 });
  });
});

it('an event without a webhook is stored as unsent', async () => {
  const accountId = await happened();
  const nowhere = { target: undefined, now: () => 0, random: () => 0 };
  await createEventDelivery(ledger.pool, nowhere, silent)(running);
  expect(await only(accountId)).toMatchObject({ state: EventState.UNSENT });
});

it('events that ended are removed after a week, those given up after three months', async () => {
  const [fresh, old, failed] = [await happened(), await happened(), await happened()];
  await sender()(running);
  const age = (accountId: string, days: number, state: string) =>
    ledger.pool.query(
      `UPDATE ledger.events SET state = $2::ledger.event_state, ended_at = clock_timestamp() - $3 * interval '1 day'
       WHERE account_id = $1`,
      [accountId, state, days],
    );
  await age(fresh, 6, 'delivered');
  await age(old, 8, 'unsent');
  await age(failed, 89, 'given_up');
  await removeOldEvents(ledger.pool);
  const kept = async (accountId: string) => (await listEvents(ledger.pool, accountId, undefined, 10)).length;
  expect([await kept(fresh), await kept(old), await kept(failed)]).toEqual([1, 0, 1]);
  await age(failed, 91, 'given_up');
  await removeOldEvents(ledger.pool);
  expect(await kept(failed)).toBe(0);
});
