import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { idFloor, newId } from '@tollgate/common/ids';
import { CapPeriod, type Charge, ChargeStatus, SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, MAX_AGE_MS } from '../../testing/ledger-fixture.ts';
import { closeSession } from '../leases/end-session.ts';
import { readBalance } from '../store/balances.ts';
import { findCharge } from '../store/charges.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';

const { POSTED, DUPLICATE, LOSS, QUARANTINED } = SettleOutcome;

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** An account with 1,000 whose session has a lease of exactly 1,000. */
async function leased(): Promise<{ accountId: string; sessionId: string }> {
  const accountId = await fundedAccount(ledger.pool, 1_000n);
  return { accountId, sessionId: await leasingSession(ledger.pool, accountId, 1_000n) };
}

async function total(accountId: string): Promise<bigint> {
  const balance = await readBalance(ledger.pool, accountId);
  return (balance?.available ?? 0n) + (balance?.leased ?? 0n);
}

async function quarantineOf(accountId: string): Promise<{ request_id: string; reason: string; times_seen: bigint }[]> {
  const { rows } = await ledger.pool.query(
    'SELECT request_id, reason, times_seen FROM ledger.quarantine WHERE account_id = $1 ORDER BY reason',
    [accountId],
  );
  return rows;
}

describe('a charge', () => {
  it('is posted once, however often it is sent, and read back unchanged', async () => {
    const owner = await leased();
    const charge = buildCharge({ ...owner, status: ChargeStatus.CANCELLED, firstTokenMs: -1 }, 300n);
    expect(await settle(ledger.pool, charge, charge)).toEqual([POSTED, DUPLICATE]);
    expect(await settle(ledger.pool, { ...charge, requestId: charge.requestId.toUpperCase() })).toEqual([DUPLICATE]);
    expect(await total(owner.accountId)).toBe(700n);
    const found = await findCharge(ledger.pool, owner.accountId, { by: 'trace_id', id: charge.traceId });
    expect(found).toEqual({ ...charge, chargedNanos: 300n, settledAtMs: expect.any(BigInt) });
  });

  it('that failed is read back with its attempts', async () => {
    const owner = await leased();
    const attempt = { deployment: 'a "quoted" one', startedMs: 1, durationMs: 2, cause: 'timeout', providerStatus: 0 };
    const attempts = [attempt, { ...attempt, cause: 'server_error', providerStatus: 503 }];
    const error = { httpStatus: 502, errorType: 'internal_error', attempts };
    const charge = buildCharge({ ...owner, status: ChargeStatus.FAILED, ...error }, 0n);
    expect(await settle(ledger.pool, charge)).toEqual([POSTED]);
    const found = await findCharge(ledger.pool, owner.accountId, { by: 'request_id', id: charge.requestId });
    expect(found).toMatchObject(error);
  });

  it.each([
    ['a cause in words of a provider', { cause: 'Invalid prompt: hello' }],
    ['a status that is none', { providerStatus: 7 }],
    ['a negative duration', { durationMs: -1 }],
  ])('with %s is quarantined', async (_, wrong) => {
    const owner = await leased();
    const attempt = { deployment: 'a', startedMs: 1, durationMs: 2, cause: 'timeout', providerStatus: 0, ...wrong };
    expect(await settle(ledger.pool, buildCharge({ ...owner, attempts: [attempt] }))).toEqual([QUARANTINED]);
  });

  it('with different content under the same id is quarantined', async () => {
    const owner = await leased();
    const charge = buildCharge(owner, 300n);
    await settle(ledger.pool, charge);
    const other = buildCharge({ ...owner, requestId: charge.requestId }, 301n);
    expect(await settle(ledger.pool, other, other)).toEqual([QUARANTINED, QUARANTINED]);
    expect(await settle(ledger.pool, other)).toEqual([QUARANTINED]);
    expect(await total(owner.accountId)).toBe(700n);
    expect(await quarantineOf(owner.accountId)).toEqual([
      { request_id: charge.requestId, reason: 'request_id was settled with different content', times_seen: 2n },
    ]);
  });

  it('is verified with its discount', async () => {
    const owner = await leased();
    const line = { bucket: 'input', quantity: 3n, rateNanosPerMillion: 500_000n, amountNanos: 1n };
    const charge = (discountPpm: number, amountNanos = 1n) =>
      buildCharge({ ...owner, discountPpm, lines: [{ ...line, amountNanos }], costNanos: amountNanos, holdNanos: 9n });
    const charges = [charge(100_000), charge(0), charge(100_000, 2n), charge(1_000_000, 0n)];
    expect(await settle(ledger.pool, ...charges)).toEqual([POSTED, QUARANTINED, QUARANTINED, POSTED]);
    expect(await total(owner.accountId)).toBe(999n);
    const requestId = charges[0]?.requestId ?? '';
    const found = await findCharge(ledger.pool, owner.accountId, { by: 'request_id', id: requestId });
    expect(found?.discountPpm).toBe(100_000);
    expect(
      await settle(ledger.pool, ...[-1, 1_000_001].map((ppm) => buildCharge({ ...owner, discountPpm: ppm }, 0n))),
    ).toEqual([QUARANTINED, QUARANTINED]);
  });

  it('is stored with its list rates and base cost where the account has prices of its own', async () => {
    const owner = await leased();
    const line = { bucket: 'input', quantity: 3n, rateNanosPerMillion: 600_000n, amountNanos: 2n };
    const listRateNanosPerMillion = 500_000n;
    const charge = (fields: object, listed: object = { listRateNanosPerMillion }) =>
      buildCharge({ ...owner, lines: [{ ...line, ...listed }], baseCostNanos: 2n, ...fields }, 2n);
    const [own, list] = [charge({}), charge({ baseCostNanos: undefined }, {})];
    expect(await settle(ledger.pool, own, list)).toEqual([POSTED, POSTED]);
    const found = async ({ requestId }: { requestId: string }) =>
      findCharge(ledger.pool, owner.accountId, { by: 'request_id', id: requestId });
    expect(await found(own)).toMatchObject({ baseCostNanos: 2n, lines: [{ listRateNanosPerMillion }] });
    expect((await found(list))?.baseCostNanos).toBeUndefined();
    expect((await found(list))?.lines[0]?.listRateNanosPerMillion).toBeUndefined();
    expect(await settle(ledger.pool, own)).toEqual([DUPLICATE]);
    expect(await settle(ledger.pool, { ...own, lines: [line], baseCostNanos: undefined })).toEqual([QUARANTINED]);
    const bad = [
      charge({ baseCostNanos: 1n }),
      charge({ baseCostNanos: -1n }),
      charge({ baseCostNanos: MAX_CHARGE_NANOS + 1n }),
      charge({ baseCostNanos: undefined }),
      charge({}, {}),
      charge({}, { listRateNanosPerMillion: -500_000n }),
      buildCharge({ ...owner, baseCostNanos: 1n }, 0n),
    ];
    expect(await settle(ledger.pool, ...bad)).toEqual(bad.map(() => QUARANTINED));
    expect(await settle(ledger.pool, buildCharge({ ...owner, baseCostNanos: 0n }, 0n))).toEqual([POSTED]);
  });

  it('is stored with its tags, beside others that have none', async () => {
    const owner = await leased();
    const tags = { team: 'search', 'cost centre': '"4711" \\ ✓' };
    const [plain, tagged] = [buildCharge(owner, 100n), buildCharge({ ...owner, tags }, 100n)];
    expect(await settle(ledger.pool, plain, tagged)).toEqual([POSTED, POSTED]);
    const kept = async (requestId: string) =>
      (await findCharge(ledger.pool, owner.accountId, { by: 'request_id', id: requestId }))?.tags;
    expect(await kept(plain.requestId)).toEqual({});
    expect(await kept(tagged.requestId)).toEqual(tags);
    const turned = Object.fromEntries(Object.entries(tags).reverse());
    expect(await settle(ledger.pool, { ...tagged, tags: turned })).toEqual([DUPLICATE]);
    expect(await settle(ledger.pool, { ...tagged, tags: {} })).toEqual([QUARANTINED]);
  });

  it('keeps the usage that was not believed, which makes it no other charge', async () => {
    const owner = await leased();
    const reportedUsage = '{"input":9,"output":1e+308,"search":"\\"✓\\\\"}';
    const [believed, disbelieved] = [buildCharge(owner, 100n), buildCharge({ ...owner, reportedUsage }, 100n)];
    expect(await settle(ledger.pool, believed, disbelieved)).toEqual([POSTED, POSTED]);
    const kept = async ({ requestId }: Charge) =>
      (await findCharge(ledger.pool, owner.accountId, { by: 'request_id', id: requestId }))?.reportedUsage;
    // A program of the version before reads such a charge without it, and stores none.
    const repeated = [disbelieved, { ...disbelieved, reportedUsage: '' }, { ...believed, reportedUsage }];
    expect(await settle(ledger.pool, ...repeated)).toEqual([DUPLICATE, DUPLICATE, DUPLICATE]);
    expect(await kept(believed)).toBe('');
    expect(await kept(disbelieved)).toBe(reportedUsage);
  });

  it('keeps the ids of the client, which make it no other charge', async () => {
    const owner = await leased();
    const ids = { clientSessionId: 'session ✓', agentId: 'agent', parentAgentId: 'parent' };
    const none = { clientSessionId: '', agentId: '', parentAgentId: '' };
    const [without, having] = [buildCharge(owner, 100n), buildCharge({ ...owner, ...ids }, 100n)];
    expect(await settle(ledger.pool, without, having)).toEqual([POSTED, POSTED]);
    // A journal written before has no ids; a ledger of the version before stores none.
    const repeated = [having, { ...having, ...none }, { ...without, ...ids }];
    expect(await settle(ledger.pool, ...repeated)).toEqual([DUPLICATE, DUPLICATE, DUPLICATE]);
    const found = (charge: Charge) =>
      findCharge(ledger.pool, owner.accountId, { by: 'request_id', id: charge.requestId });
    expect(await found(having)).toMatchObject(ids);
    expect(await found(without)).toMatchObject(none);
  });

  it('never costs the customer more than its hold', async () => {
    const owner = await leased();
    const charge = buildCharge({ ...owner, holdNanos: 200n }, 350n);
    expect(await settle(ledger.pool, charge)).toEqual([POSTED]);
    expect(await total(owner.accountId)).toBe(800n);
    const { rows } = await ledger.pool.query(
      'SELECT revenue, operator_loss, leased FROM ledger.balances WHERE account_id = $1',
      [owner.accountId],
    );
    expect(rows).toEqual([{ revenue: 350n, operator_loss: -150n, leased: 800n }]);
  });

  it('beyond its lease is the operator’s loss, as far as it is not covered', async () => {
    const owner = await leased();
    const charges = [buildCharge(owner, 600n), buildCharge(owner, 600n), buildCharge(owner, 1n)];
    expect(await settle(ledger.pool, ...charges)).toEqual([POSTED, LOSS, LOSS]);
    expect(await total(owner.accountId)).toBe(0n);
  });

  it('under a lease that was freed is the operator’s loss', async () => {
    const owner = await leased();
    await closeSession(ledger.pool, owner.sessionId);
    expect(await settle(ledger.pool, buildCharge(owner, 5n))).toEqual([LOSS]);
    expect(await settle(ledger.pool, buildCharge({ ...owner, sessionId: newId() }, 5n))).toEqual([LOSS]);
    expect(await total(owner.accountId)).toBe(1_000n);
  });

  it('of nothing is a record too, with or without a lease', async () => {
    const owner = await leased();
    const failed = buildCharge({ ...owner, sessionId: newId(), status: ChargeStatus.FAILED }, 0n);
    expect(await settle(ledger.pool, failed)).toEqual([POSTED]);
    expect(await findCharge(ledger.pool, owner.accountId, { by: 'request_id', id: failed.requestId })).toBeDefined();
  });
});

describe('a charge of nothing to an account without any movement', () => {
  const free = () => buildCharge({ accountId: newId(), sessionId: newId() }, 0n);

  it('is a record, which a free model or a discount of 100 % leaves before the first deposit', async () => {
    const charge = free();
    expect(await settle(ledger.pool, charge)).toEqual([POSTED]);
    expect(await settle(ledger.pool, charge)).toEqual([DUPLICATE]);
    expect(await findCharge(ledger.pool, charge.accountId, { by: 'request_id', id: charge.requestId })).toBeDefined();
    expect(await total(charge.accountId)).toBe(0n);
  });

  it('does not make an account known for one that costs', async () => {
    const paid = buildCharge({ accountId: newId(), sessionId: newId() }, 1n);
    expect(await settle(ledger.pool, free(), paid, free())).toEqual([POSTED, QUARANTINED, POSTED]);
    expect(await readBalance(ledger.pool, paid.accountId)).toBeUndefined();
  });
});

describe('a batch', () => {
  it('quarantines bad records and posts the others', async () => {
    const owner = await leased();
    const old = Date.now() - MAX_AGE_MS - HOUR_MS;
    const good = buildCharge(owner, 5n);
    const bad = [
      buildCharge({ ...owner, requestId: 'not-an-id\0' }),
      buildCharge({ ...owner, requestId: crypto.randomUUID() }),
      buildCharge({ ...owner, accountId: 'nobody' }),
      buildCharge({ ...owner, accountId: newId() }),
      buildCharge({ ...owner, sessionId: '' }),
      buildCharge({ ...owner, keyId: 'x' }),
      buildCharge({ ...owner, traceId: 'XYZ' }),
      buildCharge({ ...owner, model: 'a\0b' }),
      buildCharge({ ...owner, status: ChargeStatus.UNSPECIFIED }),
      buildCharge({ ...owner, costNanos: -1n }),
      buildCharge({ ...owner, holdNanos: -1n }),
      buildCharge({ ...owner, caps: [CapPeriod.UNSPECIFIED] }),
      buildCharge({ ...owner, caps: [CapPeriod.DAY, CapPeriod.DAY] }),
      buildCharge({ ...owner, costNanos: 11n, lines: buildCharge(owner, 10n).lines }),
      buildCharge({ ...owner, lines: [{ bucket: 'tea', quantity: 0n, rateNanosPerMillion: 0n, amountNanos: 0n }] }, 0n),
      buildCharge({
        ...owner,
        costNanos: 10n,
        lines: [{ bucket: 'input', quantity: 5n, rateNanosPerMillion: 1_000_000n, amountNanos: 10n }],
      }),
      buildCharge({
        ...owner,
        requestId: idFloor(old).replace('-0000-0000-', '-7000-8000-'),
        startedAtMs: BigInt(old),
      }),
      buildCharge({
        ...owner,
        requestId: idFloor(Date.now() + DAY_MS).replace('-0000-0000-', '-7000-8000-'),
        startedAtMs: BigInt(Date.now() + DAY_MS),
      }),
      buildCharge({ ...owner, startedAtMs: BigInt(Date.now() - HOUR_MS) }),
    ];
    const outcomes = await settle(ledger.pool, ...bad, good);
    expect(outcomes).toEqual([...bad.map(() => QUARANTINED), POSTED]);
    expect(await total(owner.accountId)).toBe(995n);
    expect(await quarantineOf('nobody')).toHaveLength(1);
  });

  it('loses only the record that the database itself refuses', async () => {
    const owner = await leased();
    await ledger.pool.query(
      `ALTER TABLE ledger.charges ADD CONSTRAINT no_such_provider CHECK (provider <> 'refused-by-a-test')`,
    );
    try {
      const charges = Array.from({ length: 9 }, () => buildCharge(owner, 3n));
      charges[5] = buildCharge({ ...owner, provider: 'refused-by-a-test' }, 3n);
      const outcomes = await settle(ledger.pool, ...charges);
      expect(outcomes).toEqual(charges.map((_, index) => (index === 5 ? QUARANTINED : POSTED)));
      expect(await total(owner.accountId)).toBe(1_000n - 24n);
    } finally {
      await ledger.pool.query('ALTER TABLE ledger.charges DROP CONSTRAINT no_such_provider');
    }
  });

  it('that crosses the end of a month is found again as duplicates', async () => {
    const owner = await leased();
    const thisMonth = new Date();
    const boundary = Date.UTC(thisMonth.getUTCFullYear(), thisMonth.getUTCMonth(), 1);
    const charges = [boundary - 1, boundary].map((time) =>
      buildCharge({
        ...owner,
        requestId: `${idFloor(time).slice(0, 13)}-7000-8000-${newId().slice(24)}`,
        startedAtMs: BigInt(time),
      }),
    );
    expect(await settle(ledger.pool, ...charges)).toEqual([POSTED, POSTED]);
    expect(await settle(ledger.pool, ...charges.reverse())).toEqual([DUPLICATE, DUPLICATE]);
  });

  it('overlapping with others at the same time posts each charge once', async () => {
    const owners = await Promise.all([leased(), leased(), leased(), leased()]);
    const charges = owners.flatMap((owner) => Array.from({ length: 25 }, () => buildCharge(owner, 10n)));
    const batches = Array.from({ length: 12 }, (_, index) => {
      const shifted = [...charges.slice(index * 8), ...charges.slice(0, index * 8)];
      return index % 2 === 0 ? shifted : shifted.reverse();
    });
    const outcomes = await Promise.all(batches.map((batch) => settle(ledger.pool, ...batch)));
    const posted = outcomes.flat().filter((outcome) => outcome === POSTED);
    expect(posted).toHaveLength(charges.length);
    for (const owner of owners) expect(await total(owner.accountId)).toBe(750n);
  });
});
