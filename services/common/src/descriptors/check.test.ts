import { CreateKeyRequest } from '@tollgate/proto/auth';
import { describe, expect, it } from 'vitest';
import { requestCheck } from './check.ts';

const NOW = 1_000;
const VALID = { accountId: '0190a0b0-0000-7000-8000-000000000000', name: 'ci' };

const check = requestCheck('tollgate.auth.v1.AuthService/CreateKey');

function problemOf(given: Parameters<typeof CreateKeyRequest.fromPartial>[0]): string {
  try {
    check(CreateKeyRequest.fromPartial({ ...VALID, ...given }), NOW);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('a request', () => {
  it.each([
    [{}, ''],
    [{ caps: { dayNanos: 0n }, limits: { openRequests: 1 }, tags: { 'team/a': '' }, expiresAtMs: 1_001n }, ''],
    [{ accountId: 'x' }, 'account_id: must be a UUID'],
    [{ name: '' }, 'name: must have 1 to 200 characters'],
    [{ name: ' ' }, 'name: must not be only spaces, and have no control characters'],
    [{ name: 'a\nb' }, 'name: must not be only spaces, and have no control characters'],
    [{ expiresAtMs: 1_000n }, 'expires_at_ms: must be in the future'],
    [{ expiresAtMs: 253_402_300_800_000n }, 'expires_at_ms: must be in the future'],
    [{ allowedModels: ['m', ''] }, 'allowed_models[1]: must have 1 to 200 characters'],
    [{ allowedModels: Array.from({ length: 201 }, () => 'm') }, 'allowed_models: must have at most 200 items'],
    [{ caps: { monthNanos: -1n } }, 'caps.month_nanos: must not be negative'],
    [{ limits: { openRequests: 1_000_001 } }, 'limits.open_requests: must be 1 to 1000000'],
    [{ tags: { '1st': 'x' } }, 'tags: a name must have 1 to 64 letters, digits and . _ - / : and begin with a letter'],
    [{ tags: { team: 'x'.repeat(257) } }, 'tags.team: must have at most 256 characters'],
    [{ tags: { team: '\u007f' } }, 'tags.team: must have no control characters'],
  ])('is checked by the rules of its fields, number %#', (given, problem) => {
    expect(problemOf(given)).toBe(problem);
  });
});
