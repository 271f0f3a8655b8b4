import { describe, expect, it } from 'vitest';
import { checkRequest } from './check.ts';
import { FieldProblem } from './problem.ts';
import { readFields } from './read-json.ts';
import { messageNamed } from './registry.ts';

const NOW = Date.parse('2026-01-31T00:00:00Z');

/** What is wrong with a request, in the names of its JSON. */
function problemOf(name: string, given: unknown, isText = false): string {
  const message = messageNamed(`tollgate.${name}`);
  try {
    checkRequest(message, readFields(message.fields, given, isText), NOW);
    return '';
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return `${error.field}: ${error.message}`;
  }
}

const ID = '0190a0b0-0000-7000-8000-000000000000';
const KEY = { account_id: ID, name: 'ci' };
const DEPOSIT = { account_id: ID, kind: 'deposit', amount: '1', reason: 'x', idempotency_key: 'y' };

describe('JSON of a request', () => {
  it.each([
    ['auth.v1.CreateKeyRequest', KEY, ''],
    ['auth.v1.CreateKeyRequest', [], 'body: must be an object'],
    ['auth.v1.CreateKeyRequest', { ...KEY, other: 1 }, 'other: unknown'],
    ['auth.v1.CreateKeyRequest', { account_id: ID }, 'name: required'],
    ['auth.v1.CreateKeyRequest', { ...KEY, name: null }, 'name: must not be null'],
    ['auth.v1.CreateKeyRequest', { ...KEY, name: 1 }, 'name: must be a text'],
    ['auth.v1.CreateKeyRequest', { ...KEY, account_id: 'x' }, 'account_id: must be a UUID'],
    ['auth.v1.CreateKeyRequest', { ...KEY, expires_at: null }, ''],
    [
      'auth.v1.CreateKeyRequest',
      { ...KEY, expires_at: 'soon' },
      'expires_at: must be a time such as 2026-01-31T00:00:00Z',
    ],
    [
      'auth.v1.CreateKeyRequest',
      { ...KEY, caps: { day: '-1', month: null, total: null } },
      'caps.day: must not be negative',
    ],
    ['auth.v1.CreateKeyRequest', { ...KEY, allowed_models: 'm' }, 'allowed_models: must be a list'],
    ['auth.v1.CreateKeyRequest', { ...KEY, tags: { team: 1 } }, 'tags.team: must be a text'],
    ['console.v1.CreateDepositRequest', DEPOSIT, ''],
    [
      'console.v1.CreateDepositRequest',
      { ...DEPOSIT, kind: 'gift' },
      'kind: must be one of deposit, adjustment, refund, dispute',
    ],
    ['console.v1.CreateDepositRequest', { ...DEPOSIT, refuse_shortfall: 1 }, 'refuse_shortfall: must be true or false'],
    [
      'console.v1.UpdateMemberRequest',
      { account_id: ID, person_id: ID, role: 'operator' },
      'role: must be one of owner, admin, developer, billing',
    ],
    ['console.v1.SetAlertsRequest', { account_id: ID, thresholds: null }, ''],
    ['console.v1.SetAlertsRequest', { account_id: ID }, 'thresholds: required'],
    [
      'console.v1.SetAlertsRequest',
      { account_id: ID, thresholds: ['1', 'x'] },
      'thresholds[1]: must be a decimal amount with at most 9 digits before and 9 after the point',
    ],
    ['console.v1.FindKeysRequest', { account_id: ID, sha256: 'x' }, 'sha256: must be 64 hexadecimal digits'],
    ['console.v1.SignInRequest', { email: 'x', password: 'y' }, 'email: must be an e-mail address'],
    [
      'console.v1.ChangePasswordRequest',
      { current_password: '', new_password: 'short' },
      'new_password: must have at least 12 characters',
    ],
    [
      'console.v1.ChangePasswordRequest',
      { current_password: '', new_password: 'a.long.address@example.com' },
      'new_password: must not be an e-mail address',
    ],
    ['console.v1.PlaygroundRequest', { account_id: ID, model: 'm', messages: [] }, 'messages: must not be empty'],
    [
      'console.v1.PlaygroundRequest',
      { account_id: ID, model: 'm', messages: [{ role: 'user' }] },
      'messages[0].content: required',
    ],
  ])('of %s, number %#', (name, given, problem) => {
    expect(problemOf(name, given)).toBe(problem);
  });

  it.each([
    [{ account_id: ID, limit: '20', status: 'all' }, ''],
    [{ account_id: ID, limit: 'x' }, 'limit: must be a whole number'],
    [{ account_id: ID, limit: '0' }, 'limit: must be 1 to 200'],
    [{ account_id: ID, q: ['a', 'b'] }, 'q: must be a text'],
  ])('is read from the texts of a query too, number %#', (given, problem) => {
    expect(problemOf('console.v1.ListKeysRequest', given, true)).toBe(problem);
  });

  it('has what the proto file says where it is left out, and the fields of inline messages', () => {
    const { fields } = messageNamed('tollgate.console.v1.ListDepositsRequest');
    const query = { account_id: ID, range: '7d', start: '2026-01-31T01:00:00+01:00' };
    expect(readFields(fields, query, true)).toEqual({
      accountId: ID,
      range: { range: '7d', timeZone: undefined, startMs: BigInt(NOW), endMs: undefined },
      page: { limit: 50, cursor: '' },
    });
  });

  it('has addresses in lower case, without the spaces around them', () => {
    const { fields } = messageNamed('tollgate.console.v1.SignInRequest');
    expect(readFields(fields, { email: ' Ana@Example.com ', password: ' p ' })).toEqual({
      email: 'ana@example.com',
      password: ' p ',
    });
  });
});
