import { ApiKey, KeyStatus } from '@tollgate/proto/auth';
import { CapPeriod } from '@tollgate/proto/ledger';
import { describe, expect, it } from 'vitest';
import { keyOperations } from '../api/keys.ts';
import { renderKey, renderKeyWithUsage } from './key.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const ID = '0190a0b0-0000-7000-8000-000000000000';
const schema = keyOperations['GET /accounts/{account_id}/keys/{key_id}'].response;

function key(given: Parameters<typeof ApiKey.fromPartial>[0] = {}): ApiKey {
  return ApiKey.fromPartial({
    keyId: ID,
    accountId: ID,
    name: 'ci',
    status: KeyStatus.ACTIVE,
    createdAtMs: BigInt(NOW - 1_000),
    ...given,
  });
}

function withUsage(given: Parameters<typeof ApiKey.fromPartial>[0], capUsage: object[] = []) {
  const usage = capUsage.map((each) => ({
    keyId: ID,
    period: CapPeriod.DAY,
    periodStartMs: 0n,
    periodEndMs: 0n,
    spentNanos: 0n,
    heldNanos: 0n,
    limitNanos: 0n,
    reached: false,
    ...each,
  }));
  return schema.parse(renderKeyWithUsage(key(given), { capUsage: usage, monthNanos: new Map([[ID, 5n]]) }, NOW));
}

describe('key', () => {
  it('is active, expired or deleted', () => {
    expect(renderKey(key()).status).toBe('active');
    expect(renderKey(key({ status: KeyStatus.EXPIRED })).status).toBe('expired');
    const deleted = { expiresAtMs: 1n, status: KeyStatus.DELETED, deletedAtMs: 2n };
    expect(renderKey(key(deleted))).toMatchObject({ status: 'deleted', deleted_at: '1970-01-01T00:00:00.002Z' });
  });

  it('has no times, limits and caps that are not set', () => {
    expect(withUsage({})).toMatchObject({
      expires_at: null,
      created_by: null,
      last_used_at: null,
      previous_value_until: null,
      caps: { day: null, month: null, total: null },
      limits: { requests_per_minute: null, tokens_per_minute: null, open_requests: null },
      cap_usage: [],
      spent_this_month: '0.000000005',
    });
  });

  it('shows each cap with what is spent, held and left, and when it resets', () => {
    const caps = { dayNanos: 100n, totalNanos: 1_000_000_000n };
    const startMs = BigInt(Date.UTC(2026, 10, 23));
    const { cap_usage } = withUsage({ caps }, [{ periodStartMs: startMs, spentNanos: 30n, heldNanos: 20n }]);
    expect(cap_usage).toEqual([
      {
        period: 'day',
        limit: '0.0000001',
        spent: '0.00000003',
        held: '0.00000002',
        left: '0.00000005',
        reached: false,
        resets_at: '2026-11-24T00:00:00.000Z',
      },
      { period: 'total', limit: '1', spent: '0', held: '0', left: '1', reached: false, resets_at: null },
    ]);
  });

  it('has nothing left of a cap that was lowered below what is spent', () => {
    const { cap_usage } = withUsage({ caps: { monthNanos: 10n } }, [{ period: CapPeriod.MONTH, spentNanos: 30n }]);
    expect(cap_usage).toMatchObject([{ period: 'month', spent: '0.00000003', left: '0', reached: true }]);
  });

  it('is reached while the ledger refuses requests under this limit, not under one that was raised since', () => {
    const used = { period: CapPeriod.MONTH, spentNanos: 9n, limitNanos: 10n, reached: true };
    const reached = (monthNanos: bigint) => withUsage({ caps: { monthNanos } }, [used]).cap_usage[0]?.reached;
    expect(reached(10n)).toBe(true);
    expect(reached(20n)).toBe(false);
  });
});
