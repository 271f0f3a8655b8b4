import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { CreateVouchersRequest, LedgerServiceClient, NewVoucher } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';

const LONG = { deadlineMs: 20_000 };
const DAY_MS = 86_400_000;

let ledger: ServedLedger;
let client: LedgerServiceClient;
beforeAll(async () => {
  ledger = await serveLedger();
  ({ client } = ledger);
});
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});
afterAll(() => ledger.drop());

async function create(fields: Partial<CreateVouchersRequest> = {}): Promise<NewVoucher[]> {
  const request = { amountNanos: 5_000n, count: 1, reason: 'Welcome', expiresAtMs: undefined, creditDays: undefined };
  return (await unaryCall(client.createVouchers.bind(client), { ...request, ...fields }, LONG)).data;
}

async function one(fields: Partial<CreateVouchersRequest> = {}): Promise<{ code: string; voucherId: string }> {
  const [made] = await create(fields);
  return { code: made?.code ?? '', voucherId: made?.voucher?.voucherId ?? '' };
}

const redeem = (accountId: string, code: string) =>
  unaryCall(client.redeemVoucher.bind(client), { accountId, code }, LONG);
const revoke = (voucherId: string) => unaryCall(client.revokeVoucher.bind(client), { voucherId }, LONG);
const balanceOf = async (accountId: string) =>
  unaryCall(client.getBalance.bind(client), { accountId }, LONG).then(({ balanceNanos, lots }) => ({
    balanceNanos,
    lots: lots.map(({ kind, remainingNanos, endsAtMs }) => ({ kind, remainingNanos, hasEnd: endsAtMs > 0n })),
  }));

const REFUSED = 'there is no such voucher, or it can no longer be redeemed';

describe('a voucher', () => {
  it('grants credit that ends, to whoever types its code, and again the same result to them alone', async () => {
    const accountId = newId();
    const { code } = await one({ creditDays: 30 });
    const { amountNanos, endsAtMs } = await redeem(accountId, code.toLowerCase().replaceAll('-', ' '));
    expect(amountNanos).toBe(5_000n);
    expect(Math.abs(Number(endsAtMs) - Date.now() - 30 * DAY_MS)).toBeLessThan(60_000);
    expect(await redeem(accountId, code)).toEqual({ amountNanos, endsAtMs });
    await expect(redeem(newId(), code)).rejects.toThrow(REFUSED);
    const { balanceNanos, lots } = await balanceOf(accountId);
    expect({ balanceNanos, lots }).toMatchObject({
      balanceNanos: 5_000n,
      lots: [{ remainingNanos: 5_000n, hasEnd: true }],
    });
  });

  it('is redeemed once, however many try at the same time', async () => {
    const { code } = await one();
    const accounts = Array.from({ length: 12 }, () => newId());
    const tries = await Promise.allSettled([...accounts, ...accounts].map((accountId) => redeem(accountId, code)));
    const balances = await ledger.pool.query<{ account_id: string; sum: bigint }>(
      'SELECT account_id::text, available AS sum FROM ledger.balances WHERE account_id = ANY ($1) AND available > 0',
      [accounts],
    );
    expect(balances.rows.map(({ sum }) => sum)).toEqual([5_000n]);
    // The one account gets it for each of its calls.
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });

  it('is refused once it is revoked or expired, and leaves no trace', async () => {
    const revoked = await one();
    await revoke(revoked.voucherId);
    const expired = await one({ expiresAtMs: BigInt(Date.now() + 60_000) });
    await ledger.pool.query('UPDATE ledger.vouchers SET expires_at_ms = 1 WHERE voucher_id = $1', [expired.voucherId]);
    for (const { code } of [revoked, expired, { code: 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA' }]) {
      const accountId = newId();
      await expect(redeem(accountId, code)).rejects.toThrow(REFUSED);
      const { rows } = await ledger.pool.query('SELECT FROM ledger.deposits WHERE account_id = $1', [accountId]);
      expect(rows).toEqual([]);
    }
  });

  it('cannot be revoked any more when it was redeemed', async () => {
    const { code, voucherId } = await one();
    const accountId = newId();
    await redeem(accountId, code);
    await expect(revoke(voucherId)).rejects.toThrow('was redeemed');
    expect((await balanceOf(accountId)).balanceNanos).toBe(5_000n);
    await expect(revoke(newId())).rejects.toThrow('no such voucher');
  });
});

it('vouchers are listed page by page, newest first, without codes', async () => {
  const made = await create({ count: 5, reason: 'A fair' });
  const ids = made
    .map(({ voucher }) => voucher?.voucherId ?? '')
    .toSorted()
    .toReversed();
  const list = (cursor: string) => unaryCall(client.listVouchers.bind(client), { limit: 3, cursor }, LONG);
  const first = await list('');
  const second = await list(first.nextCursor);
  expect([...first.data, ...second.data].slice(0, 5).map(({ voucherId }) => voucherId)).toEqual(ids);
  expect(new Set(made.map(({ code }) => code)).size).toBe(5);
  const { rows } = await ledger.pool.query<{ text: string }>('SELECT v::text AS text FROM ledger.vouchers v');
  for (const { code } of made) expect(rows.some(({ text }) => text.includes(code))).toBe(false);
});

it.each([
  ['no amount', { amountNanos: 0n }, /amount_nanos/],
  ['no reason', { reason: ' ' }, /reason/],
  ['none', { count: 0 }, /count/],
  ['too many', { count: 1_001 }, /count/],
  ['an end in the past', { expiresAtMs: 1n }, /expires_at_ms/],
  ['credit of no days', { creditDays: 0 }, /credit_days/],
])('vouchers of %s are refused', async (_, fields, message) => {
  await expect(create(fields)).rejects.toThrow(message);
});
