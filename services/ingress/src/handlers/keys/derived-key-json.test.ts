import { describe, expect, it } from 'vitest';
import { readDerivedKey, renderDerivedKey } from './derived-key-json.ts';

const NOW_MS = Date.UTC(2026, 10, 1);
const OWNER = { accountId: 'account', keyId: 'parent' };

const read = (body: unknown) => readDerivedKey(Buffer.from(JSON.stringify(body)), OWNER, NOW_MS);

describe('the body of a request for a derived key', () => {
  it('may name everything that a key has', () => {
    const body = {
      name: 'run 7',
      allowed_models: ['small'],
      caps: { day: '0.5', total: '2' },
      limits: { requests_per_minute: 60 },
      expires_at: '2026-11-02T00:00:00Z',
      tags: { job: '7' },
    };
    expect(read(body)).toEqual({
      accountId: 'account',
      parentKeyId: 'parent',
      name: 'run 7',
      allowedModels: ['small'],
      caps: { dayNanos: 500_000_000n, weekNanos: undefined, monthNanos: undefined, totalNanos: 2_000_000_000n },
      limits: { requestsPerMinute: 60n, tokensPerMinute: undefined, openRequests: undefined },
      expiresAtMs: BigInt(Date.UTC(2026, 10, 2)),
      expiresInMs: 0n,
      tags: { job: '7' },
    });
  });

  it('needs a name alone', () => {
    expect(read({ name: 'run', expires_in: 60 })).toMatchObject({
      caps: undefined,
      expiresAtMs: 0n,
      expiresInMs: 60_000n,
    });
  });

  it.each([
    [{}, /^name: /],
    [{ name: 'run', cap: { day: '1' } }, /^cap: /],
    [{ name: 'run', caps: { daily: '1' } }, /^caps\.daily: /],
    [{ name: 'run', caps: { day: 1 } }, /^caps\.day: /],
    [{ name: 'run', caps: { day: '-1' } }, /^caps\.day: /],
    [{ name: 'run', limits: { rpm: 1 } }, /^limits\.rpm: /],
    [{ name: 'run', limits: { open_requests: 0 } }, /^limits\.open_requests: /],
    [{ name: 'run', expires_at: '2026-10-31T00:00:00Z' }, /^expires_at: /],
    [{ name: 'run', expires_in: 0.5 }, /^expires_in: /],
    [{ name: 'run', tags: { '1': 'x' } }, /^tags: /],
    [{ name: 'run', account_id: 'another' }, /^account_id: /],
    [{ name: 'run', parent_key_id: 'another' }, /^parent_key_id: /],
    [[], /^body: /],
    [null, /^body: /],
  ])('%j is refused and names the field', (body, message) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ status: 400, message: expect.stringMatching(message) }));
  });

  it('is JSON, and not large', () => {
    expect(() => readDerivedKey(Buffer.from('{'), OWNER, NOW_MS)).toThrow('must be a JSON object');
    expect(() => read({ name: 'x'.repeat(70_000) })).toThrow('larger than');
  });
});

it('a derived key is shown like keys of the management API', () => {
  const key = {
    ...{ keyId: 'k', parentKeyId: 'p', name: 'run', createdAtMs: BigInt(NOW_MS), expiresAtMs: 0n, allowedModels: [] },
    ...{ caps: { dayNanos: 500_000_000n }, limits: undefined, tags: { job: '7' } },
  };
  expect(renderDerivedKey({ key, secret: 'sk-…' })).toEqual({
    key: {
      key_id: 'k',
      parent_key_id: 'p',
      name: 'run',
      created_at: '2026-11-01T00:00:00.000Z',
      expires_at: null,
      allowed_models: [],
      caps: { day: '0.5', week: null, month: null, total: null },
      limits: { requests_per_minute: null, tokens_per_minute: null, open_requests: null },
      tags: { job: '7' },
    },
    secret: 'sk-…',
  });
});
