import type { Pool } from '@tollgate/common/postgres/pool';
import { Role } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { inOneDay, newEmail, newLinkSecret, PASSWORD_HASH, People } from '../../testing/people.ts';

let fixture: AuthFixture;
let pool: Pool;
let people: People;

beforeAll(async () => {
  fixture = await startAuth();
  ({ pool } = fixture);
  people = new People(fixture.auth);
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

async function reset(email: string): Promise<Buffer> {
  const { secretSha256 } = newLinkSecret();
  const request = { email, secretSha256, expiresAtMs: inOneDay() };
  await people.operator((client) => client.createPasswordReset.bind(client), request);
  return secretSha256;
}
const use = (secretSha256: Buffer, passwordHash = PASSWORD_HASH) =>
  people.operator((client) => client.resetPassword.bind(client), { secretSha256, passwordHash });
const credential = (email: string) => people.operator((client) => client.getCredential.bind(client), { email });

/** Runs calls at the same time: how many succeeded, and the gRPC codes of the others. */
async function race(calls: (() => Promise<unknown>)[]): Promise<{ succeeded: number; codes: unknown[] }> {
  const results = await Promise.allSettled(calls.map((call) => call()));
  const failed = results.filter((result) => result.status === 'rejected');
  return { succeeded: results.length - failed.length, codes: failed.map(({ reason }) => reason.code) };
}

describe('an invitation', () => {
  it('can be used once, also when it is used several times at the same time', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const secret = await people.invite(newEmail(), Role.ADMIN, accountId);
    const calls = Array.from({ length: 4 }, () => () => people.accept(secret));
    expect(await race(calls)).toEqual({ succeeded: 1, codes: [5, 5, 5] });
    const { members } = await people.operator((client) => client.listMembers.bind(client), { accountId });
    expect(members).toHaveLength(1);
  });

  it('is replaced by another one of the same address, in whatever case', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const email = newEmail();
    const first = await people.invite(email.toUpperCase(), Role.ADMIN, accountId);
    const second = await people.invite(email, Role.BILLING, accountId);
    await expect(people.accept(first)).rejects.toMatchObject({ code: 5 });
    expect((await people.accept(second)).email).toBe(email);
    await expect(people.invite(email.toUpperCase(), Role.ADMIN, accountId)).rejects.toMatchObject({ code: 6 });
    expect((await credential(email.toUpperCase())).person?.email).toBe(email);
  });

  it('of an existing person is not accepted as a new one, nor by somebody else', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const owner = await people.member(accountId, Role.OWNER);
    const other = await fixture.auth.createAccount();
    const secretSha256 = await people.invite(owner.person.email, Role.DEVELOPER, other.accountId);
    await expect(people.accept(secretSha256)).rejects.toMatchObject({ code: 9 });
    const acceptAs = (value: string) =>
      people.operator((client) => client.acceptInvitation.bind(client), {
        secretSha256,
        who: { $case: 'personId' as const, value },
      });
    const stranger = await people.member(accountId, Role.ADMIN);
    await expect(acceptAs(stranger.personId)).rejects.toMatchObject({ code: 9 });
    expect((await acceptAs(owner.personId)).accountId).toBe(other.accountId);
  });

  it('that has expired is not found', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const secretSha256 = await people.invite(newEmail(), Role.ADMIN, accountId);
    await pool.query(`UPDATE auth.invitations SET expires_at = now() - interval '1 second' WHERE secret_sha256 = $1`, [
      secretSha256,
    ]);
    await expect(people.accept(secretSha256)).rejects.toMatchObject({ code: 5 });
    const found = people.operator((client) => client.getInvitation.bind(client), { secretSha256 });
    await expect(found).rejects.toMatchObject({ code: 5 });
  });

  it('to be an operator does not undo a password that is set at the same time', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const { person, personId } = await people.member(accountId, Role.OWNER);
    const secretSha256 = await people.invite(person.email, Role.OPERATOR);
    const changed = PASSWORD_HASH.replace('t=2', 't=3');
    const change = await pool.connect();
    try {
      await change.query('BEGIN');
      await change.query('UPDATE auth.people SET password_hash = $2 WHERE person_id = $1', [personId, changed]);
      const accepted = people.operator((client) => client.acceptInvitation.bind(client), {
        secretSha256,
        who: { $case: 'personId' as const, value: personId },
      });
      const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await vi.waitFor(async () => expect((await pool.query(waiting)).rows[0].count).toBe(1), 10_000);
      await change.query('COMMIT');
      expect((await accepted).person?.isOperator).toBe(true);
    } finally {
      change.release();
    }
    expect((await credential(person.email)).passwordHash).toBe(changed);
  });
});

describe('a password reset', () => {
  it('can be used once, also when it is used several times at the same time', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const { person } = await people.member(accountId, Role.BILLING);
    const secret = await reset(person.email.toUpperCase());
    const calls = Array.from({ length: 4 }, () => () => use(secret));
    expect(await race(calls)).toEqual({ succeeded: 1, codes: [5, 5, 5] });
  });

  it('ends all others of the person', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const { person } = await people.member(accountId, Role.BILLING);
    const secrets = [await reset(person.email), await reset(person.email)];
    expect(await race(secrets.map((secret) => () => use(secret)))).toEqual({ succeeded: 1, codes: [5] });
  });

  it('of nobody, of a secret in use, or for more than 7 days is refused', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const { person } = await people.member(accountId, Role.BILLING);
    await expect(reset(newEmail())).rejects.toMatchObject({ code: 5 });
    const secretSha256 = await reset(person.email);
    const create = (expiresAtMs: bigint) =>
      people.operator((client) => client.createPasswordReset.bind(client), {
        email: person.email,
        secretSha256,
        expiresAtMs,
      });
    await expect(create(inOneDay())).rejects.toMatchObject({ code: 6 });
    await expect(create(inOneDay() + 7n * 86_400_000n)).rejects.toMatchObject({ code: 3 });
  });
});
