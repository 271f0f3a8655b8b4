import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { Periodic } from '@tollgate/common/periodic';
import { inTransaction } from '@tollgate/common/postgres/pool';
import { balanceLow, capCrossed } from '@tollgate/ledger/events/account-events';
import { insertEvents } from '@tollgate/ledger/store/events';
import { DepositKind } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MailServer } from '../../testing/mail-server.ts';
import { RunningConsole } from '../../testing/running-console.ts';
import { type ServedConsole, serveConsole } from '../../testing/serve-console.ts';
import { startMailingAlerts } from '../jobs/mail-alerts.ts';
import { MAX_PER_DAY } from './queue-mails.ts';

const DOLLAR = 1_000_000_000n;
const HOUR_MS = 3_600_000;
const CALL = { deadlineMs: 20_000 };

let smtp: MailServer;
let running: RunningConsole;
/** A second replica of the console, on the same database. */
let replica: ServedConsole;
let jobs: Periodic[] = [];
/** An owner whose account's balance fell before e-mails were first sent. */
let ownerBefore: string;

function startJobs() {
  const options = { intervalMs: 50, delaysMs: [300] };
  jobs = [running.console, replica].map(({ dependencies }) => startMailingAlerts(dependencies, options));
}

async function stopJobs() {
  await Promise.all(jobs.splice(0).map((job) => job.stop()));
}

beforeAll(async () => {
  smtp = await MailServer.start();
  const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'Tollgate <alerts@example.com>' };
  running = await RunningConsole.start(settings);
  const { auth, ledger } = running;
  const addresses = {
    databaseUrl: ledger.url,
    auth: auth.address,
    ledger: `127.0.0.1:${ledger.server.port}`,
    router: '127.0.0.1:1',
    gateway: 'http://127.0.0.1:1',
  };
  replica = await serveConsole(addresses, { ...settings, CONSOLE_URL: running.url });
  const before = await newAccount();
  ownerBefore = before.owner;
  await fallBelow(before.accountId);
  startJobs();
  await vi.waitFor(
    async () => expect(await query('SELECT 1 FROM console.payments_alert_cursor')).toHaveLength(1),
    30_000,
  );
});
afterAll(async () => {
  await stopJobs();
  await replica?.stop();
  await running?.stop();
  await smtp?.stop();
});

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await running.ledger.pool.query<Row>(text, values)).rows;
}

/** An account with an owner; its thresholds are $5 and $1. */
async function newAccount(name = 'Acme') {
  const accountId = await running.createAccount(name);
  const owner = await running.signedIn('owner', accountId);
  const path = { account_id: accountId };
  await owner.api.ok('PUT /accounts/{account_id}/alerts', { path, body: { thresholds: ['5', '1'] } });
  return { accountId, path, api: owner.api, owner: owner.email, ownerId: owner.personId };
}

/** Lets an account's balance fall from $5.10 to $4.90 by a charge. */
async function fallBelow(accountId: string) {
  await running.fund(accountId, (51n * DOLLAR) / 10n);
  await running.charge(accountId, { costNanos: DOLLAR / 5n });
}

async function statesOf(accountId: string): Promise<string[]> {
  const rows = await query<{ state: string }>('SELECT state FROM console.alert_mails WHERE account_id = $1', [
    accountId,
  ]);
  return rows.map(({ state }) => state).sort();
}

/** Waits until all events so far are mailed, or not. */
async function allIsMailed() {
  const { accountId, owner } = await newAccount('Later');
  await fallBelow(accountId);
  await vi.waitFor(() => expect(smtp.to(owner)).toHaveLength(1), 30_000);
  await vi.waitFor(async () => {
    expect(await query(`SELECT 1 FROM console.alert_mails WHERE state = 'pending'`)).toEqual([]);
  }, 30_000);
}

// They share a mail server, where each has its own recipients.
describe.concurrent('an alert', () => {
  it('is mailed once to owners and billing members, whichever of two replicas sends it', async ({ expect }) => {
    const { accountId, owner } = await newAccount('Research & more');
    const billing = await running.signedIn('billing', accountId);
    const others = [await running.signedIn('admin', accountId), await running.signedIn('developer', accountId)];
    await fallBelow(accountId);
    await allIsMailed();
    const { url } = running;
    for (const address of [owner, billing.email]) {
      expect(smtp.to(address)).toHaveLength(1);
      const [mail] = smtp.to(address);
      expect(mail?.subject).toBe('Research & more on Tollgate: balance at $4.90');
      expect(mail?.source).toContain('From: Tollgate <alerts@example.com>');
      expect(mail?.source).toContain('Auto-Submitted: auto-generated');
      expect(mail?.source).toContain('The balance fell to $4.90, to or below the threshold of $5.00.');
      // As text and as HTML.
      expect(mail?.source.split(`${url}/accounts/${accountId}/top-up`)).toHaveLength(3);
      expect(mail?.source.split(`${url}/accounts/${accountId}/alerts`)).toHaveLength(3);
      expect(mail?.source).toContain('<p>Research &amp; more on Tollgate');
    }
    for (const { email } of others) expect(smtp.to(email)).toEqual([]);
  });

  it('is not mailed of a session, which has a limit so that it ends there', async ({ expect }) => {
    const { accountId, owner } = await newAccount();
    const reached = { accountId, period: 'session', startMs: 0, limitNanos: DOLLAR, spentNanos: DOLLAR } as const;
    const nodeId = newId();
    await inTransaction(running.ledger.pool, (client) =>
      insertEvents(
        client,
        [
          capCrossed({ ...reached, nodeId, percent: 100, scope: 'session', name: 'nightly' }),
          capCrossed({ ...reached, nodeId, percent: 100, scope: 'project', name: 'backend', period: 'total' }),
        ],
        BigInt(Date.now()),
      ),
    );
    await allIsMailed();
    expect(smtp.to(owner).map(({ subject }) => subject)).toEqual([
      'Acme on Tollgate: the project backend has reached its cap',
    ]);
  });

  it('of a higher limit that somebody asks for reaches who may raise it, and the answer who asked', async ({
    expect,
  }) => {
    const { accountId, path, api, owner } = await newAccount('Limits');
    const admin = await running.signedIn('admin', accountId);
    const developer = await running.signedIn('developer', accountId);
    const billing = await running.signedIn('billing', accountId);
    const { key } = await developer.api.ok('POST /accounts/{account_id}/keys', {
      path,
      body: { name: 'ci', caps: { day: '5', week: null, month: null, total: null } },
    });
    const asked = await developer.api.ok('POST /accounts/{account_id}/limit-requests', {
      path,
      body: { key_id: key.key_id, scope: 'key', id: key.key_id, window: 'day', reason: 'a large run', amount: '8' },
    });
    const subjects = (address: string) => smtp.to(address).map(({ subject }) => subject);
    for (const address of [owner, admin.email]) {
      await vi.waitFor(() => expect(subjects(address)).toHaveLength(1), 30_000);
      // The subject is so long that it is folded.
      expect(smtp.to(address)[0]?.source).toContain(`${developer.email} asks for a`);
      expect(smtp.to(address)[0]?.source).toContain('a large run');
      expect(smtp.to(address)[0]?.source).toContain(`${running.url}/accounts/${accountId}/limit-requests`);
    }
    await api.ok('POST /accounts/{account_id}/limit-requests/{limit_request_id}/grant', {
      path: { ...path, limit_request_id: asked.limit_request_id },
      body: { amount: '7', duration: 'always', note: 'enough' },
    });
    await vi.waitFor(() => expect(subjects(developer.email)).toHaveLength(1), 30_000);
    expect(subjects(developer.email)).toEqual(['Limits on Tollgate: you have a higher limit of $7.00']);
    expect(smtp.to(developer.email)[0]?.source).toContain('enough');
    expect([subjects(owner).length, subjects(admin.email).length, subjects(billing.email).length]).toEqual([1, 1, 0]);
  });

  it('says that requests are refused once the account owes money, and that they are accepted again', async ({
    expect,
  }) => {
    const { accountId, owner } = await newAccount();
    await running.fund(accountId, 20n * DOLLAR);
    const { client } = running.ledger;
    const dispute = { accountId, kind: DepositKind.DISPUTE, idempotencyKey: newId(), reason: 'for a test' };
    await unaryCall(client.deposit.bind(client), { ...dispute, amountNanos: -50n * DOLLAR }, CALL);
    await running.fund(accountId, 40n * DOLLAR);
    await expect
      .poll(() =>
        smtp
          .to(owner)
          .map(({ subject }) => subject)
          .sort(),
      )
      .toEqual([
        // Of both thresholds together.
        'Acme on Tollgate: balance at $0.00',
        'Acme on Tollgate: requests are accepted again',
        'Acme on Tollgate: requests are refused until $30.00 is paid',
      ]);
    const text = smtp.to(owner).map(({ source }) => source);
    expect(text.join()).toContain('The account owes $30.00. Its requests are refused until it is paid.');
    expect(text.join()).toContain('Requests are refused until the account is topped up.');
  });

  it('of an automatic top-up that its cardholder must confirm is mailed with where to do so', async ({ expect }) => {
    const { accountId, owner } = await newAccount();
    const data = { method: 'visa 3184', amount: '24', number: '1', confirm_until: '2026-12-01T10:00:00.000Z' };
    running.payments.events.push({
      eventId: newId(),
      accountId,
      type: 'top_up.paused',
      dataJson: JSON.stringify({ reason: 'confirmation', ...data }),
      createdAtMs: BigInt(Date.now()),
    });
    await expect.poll(() => smtp.to(owner)).toHaveLength(1);
    await allIsMailed();
    const [mail, ...others] = smtp.to(owner);
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('Acme on Tollgate: confirm the automatic payment of $24.00');
    expect(mail?.source).toContain('until 2026-12-01 10:00 UTC');
    expect(mail?.source).toContain('Confirm the payment');
    expect(mail?.source).toContain(`${running.url}/accounts/${accountId}/top-up`);
  });

  it('is not mailed if it happened before e-mails were first sent', async ({ expect }) => {
    await allIsMailed();
    expect(smtp.to(ownerBefore)).toEqual([]);
  });

  it('is not mailed a day later', async ({ expect }) => {
    const tooOld = await newAccount();
    const happenedMs = BigInt(Date.now() - 25 * HOUR_MS);
    await inTransaction(running.ledger.pool, (client) =>
      insertEvents(client, [balanceLow(tooOld.accountId, DOLLAR, DOLLAR)], happenedMs),
    );
    const waiting = await newAccount();
    smtp.refusedRecipients.set(waiting.owner, 451);
    await fallBelow(waiting.accountId);
    await expect.poll(() => statesOf(waiting.accountId)).toEqual(['pending']);
    await query('UPDATE console.alert_mails SET happened_at = $2 WHERE account_id = $1', [
      waiting.accountId,
      new Date(Number(happenedMs)),
    ]);
    await expect.poll(() => statesOf(waiting.accountId)).toEqual(['given_up']);
    smtp.refusedRecipients.delete(waiting.owner);
    await allIsMailed();
    expect([...smtp.to(tooOld.owner), ...smtp.to(waiting.owner)]).toEqual([]);
    expect(await statesOf(tooOld.accountId)).toEqual([]);
  });

  it('is mailed at most so many times a day, and the last e-mail says so', async ({ expect }) => {
    const { accountId, owner } = await newAccount();
    await inTransaction(running.ledger.pool, async (client) => {
      for (let minute = MAX_PER_DAY + 5; minute > 0; minute--) {
        const happenedMs = BigInt(Date.now() - minute * 60_000);
        await insertEvents(client, [balanceLow(accountId, DOLLAR, DOLLAR)], happenedMs);
      }
    });
    await allIsMailed();
    const mails = smtp.to(owner);
    expect(mails).toHaveLength(MAX_PER_DAY);
    expect(mails.filter(({ source }) => source.includes('the last such e-mail'))).toHaveLength(1);
  });

  it('is offered once to a recipient whom the mail server rejects, and others get theirs', async ({ expect }) => {
    const { accountId, path, api, owner } = await newAccount();
    const { email } = await running.signedIn('billing', accountId);
    smtp.refusedRecipients.set(owner, 550);
    await fallBelow(accountId);
    await allIsMailed();
    expect(smtp.to(email)).toHaveLength(1);
    const { events } = await api.ok('GET /accounts/{account_id}/alerts', { path });
    expect(events).toMatchObject([{ type: 'balance.low', mails: { sent: 1, pending: 0, failed: 1 } }]);
    expect(smtp.offered.filter((address) => address === owner)).toHaveLength(1);
  });

  it('is sent again to a recipient who cannot be reached for now, without delaying others', async ({ expect }) => {
    const { accountId, owner } = await newAccount();
    smtp.refusedRecipients.set(owner, 451);
    await fallBelow(accountId);
    const other = await newAccount();
    await fallBelow(other.accountId);
    await expect.poll(() => smtp.to(other.owner)).toHaveLength(1);
    await expect.poll(() => smtp.offered.filter((address) => address === owner).length).toBeGreaterThan(1);
    smtp.refusedRecipients.delete(owner);
    await expect.poll(() => smtp.to(owner)).toHaveLength(1);
  });

  it('is not mailed while the account has turned the e-mails off, which is audited', async ({ expect }) => {
    const { accountId, path, api, owner } = await newAccount();
    const billing = await running.signedIn('billing', accountId);
    expect(await api.ok('GET /accounts/{account_id}/alerts', { path })).toMatchObject({
      mail: true,
      mail_enabled: true,
    });
    await billing.api.ok('PUT /accounts/{account_id}/alert-mails', { path, body: { enabled: false } });
    expect(await api.ok('GET /accounts/{account_id}/alerts', { path })).toMatchObject({ mail_enabled: false });
    await fallBelow(accountId);
    await allIsMailed();
    expect(smtp.to(owner)).toEqual([]);
    await api.ok('PUT /accounts/{account_id}/alert-mails', { path, body: { enabled: true } });
    await fallBelow(accountId);
    await running.charge(accountId, { costNanos: 5n * DOLLAR });
    await expect.poll(() => smtp.to(owner)).toHaveLength(1);
    const range = {
      start: new Date(Date.now() - HOUR_MS).toISOString(),
      end: new Date(Date.now() + HOUR_MS).toISOString(),
    };
    const { data } = await api.ok('GET /accounts/{account_id}/audit', {
      path,
      query: { ...range, action: 'account.update' },
    });
    expect(data.map(({ actor, details }) => [actor.name, details])).toEqual([
      [owner, { alert_mails: 'off → on' }],
      [billing.email, { alert_mails: 'on → off' }],
    ]);
  });
});

describe('while the mail server fails, an alert', () => {
  it('arrives once the mail server is back, and is not sent again by a restarted console', async () => {
    const { accountId, owner } = await newAccount();
    await smtp.stop();
    try {
      await fallBelow(accountId);
      const attempts = () =>
        query('SELECT 1 FROM console.alert_mails WHERE account_id = $1 AND attempts > 1', [accountId]);
      await expect.poll(attempts).toHaveLength(1);
      expect(await statesOf(accountId)).toEqual(['pending']);
    } finally {
      await smtp.resume();
    }
    await expect.poll(() => smtp.to(owner)).toHaveLength(1);
    await stopJobs();
    const meanwhile = await newAccount();
    await fallBelow(meanwhile.accountId);
    startJobs();
    await allIsMailed();
    expect(smtp.to(owner)).toHaveLength(1);
    expect(smtp.to(meanwhile.owner)).toHaveLength(1);
  });

  it('arrives once the mail server accepts the sender again', async () => {
    const { accountId, owner } = await newAccount();
    smtp.refusedSender = 550;
    await fallBelow(accountId);
    const attempts = () =>
      query('SELECT 1 FROM console.alert_mails WHERE account_id = $1 AND attempts > 1', [accountId]);
    await expect.poll(attempts).toHaveLength(1);
    smtp.refusedSender = undefined;
    await expect.poll(() => smtp.to(owner)).toHaveLength(1);
  });

  it('does not reach members who were removed, not even if it waited for the mail server', async () => {
    const { accountId, path, api, owner } = await newAccount();
    const waiting = await running.signedIn('billing', accountId);
    const removed = await running.signedIn('owner', accountId);
    const remove = (person_id: string) =>
      api.ok('DELETE /accounts/{account_id}/members/{person_id}', { path: { ...path, person_id } });
    await remove(removed.personId);
    await smtp.stop();
    try {
      await fallBelow(accountId);
      await expect.poll(() => statesOf(accountId)).toEqual(['pending', 'pending']);
      await remove(waiting.personId);
    } finally {
      await smtp.resume();
    }
    await expect.poll(() => statesOf(accountId)).toEqual(['sent', 'withdrawn']);
    await allIsMailed();
    expect(smtp.to(owner)).toHaveLength(1);
    expect([...smtp.to(waiting.email), ...smtp.to(removed.email)]).toEqual([]);
  });
});
