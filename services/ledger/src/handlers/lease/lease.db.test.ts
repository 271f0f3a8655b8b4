import { status } from '@grpc/grpc-js';
import { BALANCE } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import type { LeaseRequest } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildCharge } from '../../../testing/build-charge.ts';
import { brokenInvariants } from '../../../testing/check-invariants.ts';
import { Duplex } from '../../../testing/duplex.ts';
import { balanceAcquire, heartbeat, LeaseCall } from '../../../testing/lease-call.ts';
import { fundedAccount, settle } from '../../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../../testing/serve-ledger.ts';
import { readBalance } from '../../store/balances.ts';
import { raiseEpoch } from '../../store/meta.ts';

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

type Message = NonNullable<LeaseRequest['message']>;

function openCall(sessionId = newId()): Promise<LeaseCall> {
  return LeaseCall.opened(ledger.client, sessionId);
}

describe('a session', () => {
  it('gets its times and the identity of the database', async () => {
    const call = new LeaseCall(ledger.client);
    const sessionId = newId();
    expect(await call.open(sessionId)).toEqual({
      $case: 'opened',
      value: {
        sessionId,
        epoch: 1n,
        sessionTtlMs: 15_000n,
        heartbeatIntervalMs: 3_000n,
        maxRequestMs: 3_600_000n,
        databaseId: expect.stringMatching(/^[0-9a-f-]{36}\.1\.[0-9A-F]{8}$/),
        databaseTimeMs: expect.any(BigInt),
        leases: [],
      },
    });
    call.end();
    expect(await call.ended).toBeUndefined();
  });

  it('that is resumed on another stream gets its leases', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = newId();
    const first = await openCall(sessionId);
    await first.acquire(accountId, 60n);
    first.end();
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 7n));
    const second = new LeaseCall(ledger.client);
    expect(await second.open(sessionId)).toMatchObject({
      $case: 'opened',
      value: {
        leases: [
          {
            accountId,
            sequence: 0n,
            ceilings: [{ ceiling: BALANCE, grantedTotal: 60n, spentTotal: 7n, leftNanos: 93n, availableNanos: 40n }],
          },
        ],
      },
    });
    second.end();
  });

  it('must be opened before anything else', async () => {
    const call = new LeaseCall(ledger.client);
    call.send({ message: heartbeat(1n) });
    expect(await call.ended).toMatchObject({ code: status.FAILED_PRECONDITION });
  });

  it('must have a UUID, and a stream only one session', async () => {
    const call = new LeaseCall(ledger.client);
    call.send({ message: { $case: 'open', value: { sessionId: 'ingress-0', ingressName: '' } } });
    expect(await call.ended).toMatchObject({ code: status.INVALID_ARGUMENT });
    const other = await openCall();
    other.send({ message: { $case: 'open', value: { sessionId: newId(), ingressName: '' } } });
    expect(await other.ended).toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it('once closed has its credit freed at once and is fenced for good', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = newId();
    const call = await openCall(sessionId);
    await call.acquire(accountId, 60n);
    expect(await call.ask({ $case: 'close', value: { sessionId } })).toEqual({ $case: 'closed', value: { sessionId } });
    expect(await readBalance(ledger.pool, accountId)).toEqual({
      available: 100n,
      leased: 0n,
      held: 0n,
      receivable: 0n,
    });
    const messages: Message[] = [
      { $case: 'open', value: { sessionId, ingressName: '' } },
      heartbeat(1n),
      { $case: 'acquire', value: balanceAcquire(accountId, 70n, 2n) },
      { $case: 'return', value: { accountId, ceiling: BALANCE, returnedTotal: 60n } },
    ];
    for (const message of messages) {
      expect(await call.ask(message)).toMatchObject({ $case: 'fenced', value: { sessionId } });
    }
    expect(await call.ask({ $case: 'close', value: { sessionId } })).toMatchObject({ $case: 'closed' });
    call.end();
  });

  it('can be closed by another process, also before it was ever opened', async () => {
    const call = await openCall();
    const other = newId();
    expect(await call.ask({ $case: 'close', value: { sessionId: other } })).toMatchObject({ $case: 'closed' });
    expect(await new LeaseCall(ledger.client).open(other)).toMatchObject({
      $case: 'fenced',
      value: { sessionId: other },
    });
    call.end();
  });

  it('of an older epoch is fenced', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = newId();
    const call = await openCall(sessionId);
    const unseen = newId();
    const epoch = await raiseEpoch(ledger.pool);
    expect(await call.ask(heartbeat(1n))).toMatchObject({
      $case: 'fenced',
    });
    const value = balanceAcquire(accountId, 1n);
    expect(await call.ask({ $case: 'acquire', value })).toMatchObject({ $case: 'fenced' });
    expect(await new LeaseCall(ledger.client).open(sessionId)).toMatchObject({ $case: 'fenced' });
    // Opened after the backup that was restored: the database does not contain it, but its id shows its time.
    expect(await new LeaseCall(ledger.client).open(unseen)).toMatchObject({ $case: 'fenced' });
    const opens = async () =>
      expect(await new LeaseCall(ledger.client).open(newId())).toMatchObject({ $case: 'opened', value: { epoch } });
    await vi.waitFor(opens, { timeout: 30_000 });
    call.end();
  });
});

describe('acquire', () => {
  it('grants exactly the need when it is near the balance, to the last nano', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const call = await openCall();
    expect(await call.acquire(accountId, 60n)).toEqual({
      accountId,
      sequence: 1n,
      refused: false,
      suspended: false,
      ceiling: BALANCE,
      grantedTotal: 60n,
      spentTotal: 0n,
      returnedTotal: 0n,
      short: false,
      leftNanos: 100n,
      availableNanos: 40n,
      limitNanos: 0n,
      revision: 0n,
    });
    expect(await call.acquire(accountId, 101n, 2n)).toMatchObject({
      sequence: 2n,
      refused: true,
      grantedTotal: 60n,
      leftNanos: 100n,
      availableNanos: 40n,
      suspended: false,
    });
    expect(await call.acquire(accountId, 100n, 3n)).toMatchObject({ grantedTotal: 100n, availableNanos: 0n });
    call.end();
  });

  it('grants more than the need if the balance is large', async () => {
    const accountId = await fundedAccount(ledger.pool, 1_000_000n);
    const call = await openCall();
    const lease = await call.acquire(accountId, 10n);
    expect(lease.grantedTotal).toBe(650n);
    expect(lease.availableNanos).toBe(1_000_000n - 650n);
    call.end();
  });

  it('does not grant twice for one need, repeated or out of order', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = newId();
    const call = await openCall(sessionId);
    expect(await call.acquire(accountId, 101n, 1n)).toMatchObject({ refused: true });
    await call.acquire(accountId, 40n, 2n);
    await call.acquire(accountId, 40n, 2n);
    await call.acquire(accountId, 20n, 1n);
    // The refused one comes again, late, when it could be met.
    const late = await call.acquire(accountId, 90n, 1n);
    expect(late).toMatchObject({ sequence: 1n, refused: false, grantedTotal: 40n, availableNanos: 60n });
    const other = await openCall(sessionId);
    expect(await other.acquire(accountId, 40n, 2n)).toMatchObject({ grantedTotal: 40n });
    call.end();
    other.end();
  });

  it('is refused with zeros for an account without any deposit', async () => {
    const call = await openCall();
    const zeros = { refused: true, grantedTotal: 0n, leftNanos: 0n, availableNanos: 0n };
    expect(await call.acquire(newId(), 1n)).toMatchObject(zeros);
    expect(await call.acquire('not an id', 1n)).toMatchObject(zeros);
    call.end();
  });

  it('never grants more than there is, from many sessions at once', async () => {
    const accountId = await fundedAccount(ledger.pool, 1_000n);
    const calls = await Promise.all(Array.from({ length: 10 }, () => openCall()));
    const responses = await Promise.all(
      calls.flatMap((call) => {
        const asked = [50n, 100n, 150n].map((total, index) => call.acquire(accountId, total, BigInt(index + 1)));
        return asked;
      }),
    );
    expect(responses.filter((response) => response.refused).length).toBeGreaterThan(0);
    const balance = await readBalance(ledger.pool, accountId);
    expect(balance).toEqual({ available: 0n, leased: 1_000n, held: 0n, receivable: 0n });
    for (const call of calls) call.end();
  });
});

describe('return', () => {
  it('frees at most what was declared and what is unspent, however often it is sent', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const sessionId = newId();
    const call = await openCall(sessionId);
    await call.acquire(accountId, 80n);
    expect(await call.giveBack(accountId, 30n)).toMatchObject({
      sequence: 0n,
      returnedTotal: 30n,
      availableNanos: 50n,
    });
    expect(await call.giveBack(accountId, 30n)).toMatchObject({ returnedTotal: 30n, availableNanos: 50n });
    expect(await call.giveBack(accountId, 10n)).toMatchObject({ returnedTotal: 30n });
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 20n));
    expect(await call.giveBack(accountId, 1_000n)).toMatchObject({
      grantedTotal: 80n,
      spentTotal: 20n,
      returnedTotal: 60n,
      leftNanos: 80n,
      availableNanos: 80n,
    });
    expect(await call.giveBack(newId(), 5n)).toMatchObject({ returnedTotal: 0n, refused: false });
    call.end();
  });
});

describe('heartbeat', () => {
  it('is confirmed, and its amounts count as held until changed', async () => {
    const accountId = await fundedAccount(ledger.pool, 100n);
    const call = await openCall();
    await call.acquire(accountId, 80n);
    const beat = (sequence: bigint, heldNanos: bigint) => call.ask(heartbeat(sequence, [{ accountId, heldNanos }]));
    expect(await beat(1n, 30n)).toMatchObject({ $case: 'heartbeat', value: { sequence: 1n } });
    expect((await readBalance(ledger.pool, accountId))?.held).toBe(30n);
    await beat(3n, 20n);
    await beat(2n, 70n);
    await call.ask(heartbeat(4n));
    expect((await readBalance(ledger.pool, accountId))?.held).toBe(20n);
    await call.ask(heartbeat(5n, [{ accountId: newId(), heldNanos: 9n }]));
    call.end();
  });
});

describe('a draining server', () => {
  it('responds to open messages and ends the stream without an error', async () => {
    const own = await serveLedger();
    const accountId = await fundedAccount(own.pool, 100n);
    const call = new Duplex(own.client.lease());
    call.send({ message: { $case: 'open', value: { sessionId: newId(), ingressName: '' } } });
    await call.next();
    call.send({ message: { $case: 'acquire', value: balanceAcquire(accountId, 5n) } });
    expect((await call.next()).message?.$case).toBe('lease');
    own.dependencies.streams.drain();
    expect(await call.ended).toBeUndefined();
    await own.drop();
  });
});
