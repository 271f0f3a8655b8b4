import { ApiKey, CapSetter, CreateKeyRequest, KeyStatus, OwnerKind, UpdateKeyRequest } from '@tollgate/proto/auth';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJson } from './json.ts';
import { FieldProblem } from './problem.ts';
import { readFields } from './read-json.ts';
import { messageNamed } from './registry.ts';

const KEY = messageNamed('tollgate.auth.v1.ApiKey');
const CREATE = messageNamed('tollgate.auth.v1.CreateKeyRequest');
const UPDATE = messageNamed('tollgate.auth.v1.UpdateKeyRequest');
const ID = '0190a0b0-0000-7000-8000-000000000000';
const ROTATE = messageNamed('tollgate.auth.v1.RotateKeyRequest');

describe('the JSON of a message', () => {
  it('has names of the proto file, money as dollars, times as RFC 3339, and null for what is not set', () => {
    const key = ApiKey.fromPartial({
      keyId: 'k',
      accountId: 'a',
      name: 'ci',
      status: KeyStatus.EXPIRED,
      createdAtMs: 1n,
      caps: { dayNanos: 1_500_000_000n },
      limits: { requestsPerMinute: 60n },
      tags: { team: 'a' },
      createdBy: { personId: 'p', name: 'p@example.com' },
      projectId: 'q',
      projectName: 'Research',
      appliedCaps: {
        day: { limitNanos: 1_500_000_000n, setBy: CapSetter.OWN },
        week: { limitNanos: 20_000_000_000n, setBy: CapSetter.PROJECT },
      },
      owner: { kind: OwnerKind.MEMBER, id: 'p', name: 'p@example.com' },
    });
    expect(toJson(KEY, key)).toEqual({
      key_id: 'k',
      account_id: 'a',
      name: 'ci',
      status: 'expired',
      display_prefix: '',
      last_four: '',
      created_at: '1970-01-01T00:00:00.001Z',
      expires_at: null,
      deleted_at: null,
      allowed_models: [],
      caps: { day: '1.5', week: null, month: null, total: null },
      limits: { requests_per_minute: 60, tokens_per_minute: null, open_requests: null },
      tags: { team: 'a' },
      last_used_at: null,
      parent_key_id: null,
      previous_value_until: null,
      created_by: { person_id: 'p', name: 'p@example.com' },
      project_id: 'q',
      project_name: 'Research',
      owner: { kind: 'member', id: 'p', name: 'p@example.com' },
      each_session: null,
      exceeds_defaults: false,
      applied_caps: {
        day: { limit: '1.5', set_by: 'own' },
        week: { limit: '20', set_by: 'project' },
        ...{ month: null, total: null, session: null },
      },
    });
    expect(toJson(KEY, ApiKey.fromPartial({}))).toMatchObject({
      status: null,
      created_by: null,
      caps: { day: null, month: null, total: null },
    });
  });

  it('is read into the same message', () => {
    const time = fc.date({ min: new Date(1), max: new Date(253_402_300_799_999), noInvalidDate: true });
    const amount = fc.option(fc.bigInt({ min: 0n, max: 999_999_999_999_999_999n }), { nil: undefined });
    const text = fc.string().map((each) => each.trim());
    const request = fc.record({
      accountId: fc.uuid(),
      projectId: fc.constantFrom('', '01900000-0000-7000-8000-000000000000'),
      name: text,
      expiresAtMs: time.map((date) => BigInt(date.getTime())),
      allowedModels: fc.array(text),
      caps: fc.record({ dayNanos: amount, monthNanos: amount, totalNanos: amount }),
      limits: fc.record({
        requestsPerMinute: fc.option(fc.bigInt({ min: 1n, max: 1_000_000_000n }), { nil: undefined }),
        tokensPerMinute: fc.constant(undefined),
        openRequests: fc.option(fc.nat(), { nil: undefined }),
      }),
      tags: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
    });
    fc.assert(
      fc.property(request, (given) => {
        const message = CreateKeyRequest.fromPartial(given);
        const json = JSON.parse(JSON.stringify(toJson(CREATE, message))) as object;
        expect(readFields(CREATE.fields, json as Record<string, unknown>)).toEqual(message);
      }),
    );
  });
});

describe('a request', () => {
  it('that leaves something out leaves it out of the message, and null ends a time', () => {
    const request = { key_id: ID, account_id: ID, expires_at: null, allowed_models: ['m'], tags: { a: 'b' } };
    expect(readFields(UPDATE.fields, request)).toEqual(
      UpdateKeyRequest.fromPartial({
        keyId: ID,
        accountId: ID,
        expiresAtMs: 0n,
        allowedModels: { ids: ['m'] },
        tags: { tags: { a: 'b' } },
      }),
    );
  });

  it('has durations in seconds', () => {
    expect(readFields(ROTATE.fields, { overlap_seconds: 90, idempotency_key: 'x' })).toMatchObject({
      overlapMs: 90_000n,
    });
  });

  it('with an amount that is out of range is refused by the name of its field', () => {
    const caps = { day: '10000000000', month: null, total: null };
    const problem = 'must be a decimal amount with at most 9 digits before and 9 after the point';
    expect(() => readFields(UPDATE.fields, { caps })).toThrow(new FieldProblem('caps.day', problem));
  });
});
