import { createHash, randomBytes } from 'node:crypto';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { operatorToken } from '@tollgate/common/testing/actors';
import { AuthServiceClient, Role, SignInWithIdentityRequest } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { required } from '../../testing/auth-under-test.ts';

const LONG = { deadlineMs: 20_000 };
const HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'c2FsdA'.repeat(4)}$${'aGFzaA'.repeat(8)}`;
const OTHER_HASH = HASH.replaceAll('aGFzaA', 'b3RoZXI');
const ISSUER = 'https://id.example';

let fixture: AuthFixture;
/** The console, which acts for people who have not signed in. */
let client: AuthServiceClient;

beforeAll(async () => {
  fixture = await startAuth();
  client = createGrpcClient(AuthServiceClient, fixture.auth.address);
});
afterAll(async () => {
  client?.close();
  await fixture?.stop();
});

/** How many statements wait for a lock. */
const WAITING = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

const newEmail = () => `${newId()}@example.com`;
const newSha256 = () => createHash('sha256').update(randomBytes(32)).digest();
const inADay = () => BigInt(Date.now() + 86_400_000);

/** Invites an address by mail to an account, or, without one, to be an operator. */
async function invite(email: string, role: Role, accountId = '', expiresAtMs = inADay(), mailed = true) {
  const secretSha256 = newSha256();
  const request = { accountId, email, role, secretSha256, expiresAtMs, mailed };
  const options = { ...LONG, actorToken: await operatorToken() };
  await unaryCall(client.createInvitation.bind(client), request, options);
  return secretSha256;
}

const acceptAsNew = (secretSha256: Buffer, passwordHash = HASH) => {
  const who = { $case: 'newPerson' as const, value: { name: 'Bo', passwordHash } };
  return unaryCall(client.acceptInvitation.bind(client), { secretSha256, who }, LONG);
};
const acceptAs = (personId: string, secretSha256: Buffer, sessionGeneration = 1) => {
  const who = { $case: 'personId' as const, value: personId };
  return unaryCall(client.acceptInvitation.bind(client), { secretSha256, who, sessionGeneration }, LONG);
};
const find = (secretSha256: Buffer) => unaryCall(client.getInvitation.bind(client), { secretSha256 }, LONG);
const person = (personId: string) => unaryCall(client.getPerson.bind(client), { personId }, LONG);
const credential = (email: string) => unaryCall(client.getCredential.bind(client), { email }, LONG);
const reset = (secretSha256: Buffer, passwordHash = HASH) =>
  unaryCall(client.resetPassword.bind(client), { secretSha256, passwordHash }, LONG);
const requestReset = async (email: string): Promise<Buffer> => {
  const secretSha256 = newSha256();
  const request = { email, secretSha256, expiresAtMs: inADay() };
  await unaryCall(client.createPasswordReset.bind(client), request, LONG);
  return secretSha256;
};
const signIn = (fields: Parameters<typeof SignInWithIdentityRequest.fromPartial>[0]) =>
  unaryCall(client.signInWithIdentity.bind(client), SignInWithIdentityRequest.fromPartial(fields), LONG);
const identity = () => ({ issuer: ISSUER, subject: newId() });

/** How many of some calls succeed, and the codes of the others. */
async function outcomes(calls: readonly Promise<unknown>[]): Promise<{ done: number; codes: number[] }> {
  const settled = await Promise.allSettled(calls);
  const codes = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  return { done: settled.length - codes.length, codes };
}

describe('an invitation', () => {
  it('makes a new person a member once, also when it is accepted by calls at the same time', async () => {
    const { accountId } = await fixture.auth.createAccount('Acme');
    const email = newEmail();
    const secret = await invite(email.toUpperCase(), Role.DEVELOPER, accountId);
    expect(await find(secret)).toMatchObject({ invitation: { email, accountName: 'Acme' }, personExists: false });
    const calls = Array.from({ length: 5 }, () => acceptAsNew(secret));
    expect(await outcomes(calls)).toEqual({ done: 1, codes: [5, 5, 5, 5] });
    const members = await unaryCall(fixture.auth.client.listMembers.bind(fixture.auth.client), { accountId }, LONG);
    expect(members.members).toHaveLength(1);
    const { personId } = required((await credential(email.toUpperCase())).person);
    expect(await person(personId)).toMatchObject({
      person: { email, name: 'Bo', hasPassword: true, isOperator: false },
      memberships: [{ accountId, accountName: 'Acme', role: Role.DEVELOPER }],
    });
    await expect(find(secret)).rejects.toMatchObject({ code: 5 });
  });

  it('of a person who exists is accepted by them only', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const email = newEmail();
    const known = required((await acceptAsNew(await invite(email, Role.OPERATOR))).person);
    const other = required((await acceptAsNew(await invite(newEmail(), Role.ADMIN, accountId))).person);
    const secret = await invite(email, Role.BILLING, accountId);
    expect((await find(secret)).personExists).toBe(true);
    await expect(acceptAsNew(secret)).rejects.toMatchObject({ code: 9 });
    await expect(acceptAs(other.personId, secret)).rejects.toMatchObject({ code: 9 });
    await expect(acceptAs(known.personId, secret, 0)).rejects.toMatchObject({ code: 16 });
    expect(await acceptAs(known.personId, secret)).toMatchObject({ accountId, person: { isOperator: true } });
    await expect(invite(email, Role.ADMIN, accountId)).rejects.toMatchObject({ code: 6 });
    await expect(invite(email, Role.OPERATOR)).rejects.toMatchObject({ code: 6 });
  });

  it('that was not mailed gives a new person a password, with which they accept it', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const email = newEmail();
    const secret = await invite(email, Role.BILLING, accountId, inADay(), false);
    expect(await acceptAsNew(secret)).toEqual({ person: undefined, accountId: '' });
    const created = await credential(email);
    expect(created).toMatchObject({ passwordHash: HASH, person: { name: 'Bo' } });
    const { personId } = required(created.person);
    expect((await person(personId)).memberships).toEqual([]);
    // Of an address that is somebody's, it says and does no more.
    expect(await acceptAsNew(secret, OTHER_HASH)).toEqual({ person: undefined, accountId: '' });
    expect((await credential(email)).passwordHash).toBe(HASH);
    expect((await find(secret)).personExists).toBe(false);
    expect(await acceptAs(personId, secret)).toMatchObject({ accountId });
  });

  it('is replaced by another one of the same address, in whatever case', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const email = newEmail();
    const first = await invite(email.toUpperCase(), Role.ADMIN, accountId);
    const second = await invite(email, Role.BILLING, accountId);
    await expect(find(first)).rejects.toMatchObject({ code: 5 });
    await expect(acceptAsNew(first)).rejects.toMatchObject({ code: 5 });
    expect((await acceptAsNew(second)).person?.email).toBe(email);
    await expect(invite(email.toUpperCase(), Role.ADMIN, accountId)).rejects.toMatchObject({ code: 6 });
  });

  it('ends when it expires by the clock of the database', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const email = newEmail();
    const secret = await invite(email, Role.BILLING, accountId);
    await fixture.pool.query('UPDATE auth.invitations SET expires_at = clock_timestamp() WHERE email = $1', [email]);
    await expect(find(secret)).rejects.toMatchObject({ code: 5 });
    await expect(acceptAsNew(secret)).rejects.toMatchObject({ code: 5 });
    await expect(credential(email)).rejects.toMatchObject({ code: 5 });
    await invite(newEmail(), Role.ADMIN, accountId);
    const { rows } = await fixture.pool.query('SELECT FROM auth.invitations WHERE email = $1', [email]);
    expect(rows).toEqual([]);
  });

  it.each(['', 'x', 'a@', '@b', 'a b@c', 'a@b@c', 'ü@example.com', `${'x'.repeat(251)}@a.b`])(
    'is not made for the address %.20s',
    async (email) => {
      await expect(invite(email, Role.OPERATOR)).rejects.toMatchObject({ code: 3 });
    },
  );

  it('is not made in the past, for more than 30 days, or with a role that is not of its kind', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const days = (count: number) => BigInt(Date.now() + count * 86_400_000);
    await expect(invite(newEmail(), Role.ADMIN, accountId, days(-1))).rejects.toMatchObject({ code: 3 });
    await expect(invite(newEmail(), Role.ADMIN, accountId, days(31))).rejects.toMatchObject({ code: 3 });
    await expect(invite(newEmail(), Role.OPERATOR, accountId)).rejects.toMatchObject({ code: 3 });
    await expect(invite(newEmail(), Role.OWNER)).rejects.toMatchObject({ code: 3 });
    await expect(invite(newEmail(), Role.OWNER, newId())).rejects.toMatchObject({ code: 5 });
  });

  it('to be an operator does not undo a password that is set at the same time', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const email = newEmail();
    const { personId } = required((await acceptAsNew(await invite(email, Role.OWNER, accountId))).person);
    const secret = await invite(email, Role.OPERATOR);
    const { pool } = fixture;
    const change = await pool.connect();
    try {
      await change.query('BEGIN');
      await change.query('UPDATE auth.people SET password_hash = $2 WHERE person_id = $1', [personId, OTHER_HASH]);
      const accepted = acceptAs(personId, secret);
      await vi.waitFor(async () => expect((await pool.query(WAITING)).rows).toEqual([{ count: 1 }]), 10_000);
      await change.query('COMMIT');
      expect((await accepted).person?.isOperator).toBe(true);
    } finally {
      change.release();
    }
    expect((await credential(email)).passwordHash).toBe(OTHER_HASH);
  });
});

describe('a password reset', () => {
  it('sets a password once, ends the other resets of the person, and is audited', async () => {
    const email = newEmail();
    await acceptAsNew(await invite(email, Role.OPERATOR));
    const [first, second] = [await requestReset(email.toUpperCase()), await requestReset(email)];
    const calls = Array.from({ length: 5 }, () => reset(first, OTHER_HASH));
    expect(await outcomes(calls)).toEqual({ done: 1, codes: [5, 5, 5, 5] });
    expect((await credential(email)).passwordHash).toBe(OTHER_HASH);
    await expect(reset(second)).rejects.toMatchObject({ code: 5 });
    const { rows } = await fixture.pool.query(
      "SELECT a.actor_name, a.details FROM auth.audit a WHERE a.action = 'password.reset' AND a.target_name = $1",
      [email],
    );
    expect(rows).toEqual([{ actor_name: email, details: {} }]);
  });

  it('expires, and only the newest five of a person are valid', async () => {
    const email = newEmail();
    await acceptAsNew(await invite(email, Role.OPERATOR));
    const secrets: Buffer[] = [];
    for (let count = 0; count < 6; count++) secrets.push(await requestReset(email));
    await expect(reset(secrets[0] ?? Buffer.alloc(0))).rejects.toMatchObject({ code: 5 });
    const expired = secrets[5] ?? Buffer.alloc(0);
    await fixture.pool.query(
      'UPDATE auth.password_resets SET expires_at = clock_timestamp() WHERE secret_sha256 = $1',
      [expired],
    );
    await expect(reset(expired)).rejects.toMatchObject({ code: 5 });
    await reset(secrets[1] ?? Buffer.alloc(0));
  });

  it('ends all others of the person, also those that are used at the same time', async () => {
    const email = newEmail();
    await acceptAsNew(await invite(email, Role.OPERATOR));
    const secrets = [await requestReset(email), await requestReset(email)];
    expect(await outcomes(secrets.map((secret) => reset(secret)))).toEqual({ done: 1, codes: [5] });
  });

  it('of nobody, of a secret in use, or for more than 7 days is refused', async () => {
    const email = newEmail();
    await acceptAsNew(await invite(email, Role.OPERATOR));
    await expect(requestReset(newEmail())).rejects.toMatchObject({ code: 5 });
    const secretSha256 = await requestReset(email);
    const create = (expiresAtMs: bigint) =>
      unaryCall(client.createPasswordReset.bind(client), { email, secretSha256, expiresAtMs }, LONG);
    await expect(create(inADay())).rejects.toMatchObject({ code: 6 });
    await expect(create(inADay() + 7n * 86_400_000n)).rejects.toMatchObject({ code: 3 });
  });

  it('takes no hash of another form', async () => {
    await expect(reset(newSha256(), 'password')).rejects.toMatchObject({ code: 3 });
    await expect(reset(Buffer.alloc(31))).rejects.toMatchObject({ code: 3 });
  });
});

describe('an identity', () => {
  it('is linked to the person with its verified address, and finds them afterwards', async () => {
    const email = newEmail();
    const known = required((await acceptAsNew(await invite(email, Role.OPERATOR))).person);
    const mine = identity();
    await expect(signIn({ identity: mine })).rejects.toMatchObject({ code: 7 });
    const linked = await signIn({ identity: mine, verifiedEmail: email.toUpperCase() });
    expect(linked.person).toMatchObject({ personId: known.personId, hasIdentity: true });
    expect((await signIn({ identity: mine })).person?.personId).toBe(known.personId);
    // The address may have been given to somebody else.
    await expect(signIn({ identity: identity(), verifiedEmail: email })).rejects.toMatchObject({ code: 7 });
  });

  it('of somebody new is let in by invitations or a domain that may join, and otherwise refused', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const join = { accountId, role: Role.DEVELOPER };
    await expect(signIn({ identity: identity(), verifiedEmail: newEmail() })).rejects.toMatchObject({ code: 7 });
    const email = newEmail();
    const secret = await invite(email, Role.BILLING, accountId);
    const invited = required((await signIn({ identity: identity(), verifiedEmail: email, name: 'Bo', join })).person);
    expect((await person(invited.personId)).memberships).toMatchObject([{ accountId, role: Role.BILLING }]);
    await expect(find(secret)).rejects.toMatchObject({ code: 5 });
    const mine = identity();
    const signInJoining = (verifiedEmail: string) => signIn({ identity: mine, verifiedEmail, join });
    const address = newEmail();
    const all = await Promise.all(Array.from({ length: 4 }, () => signInJoining(address)));
    expect(new Set(all.map((response) => response.person?.personId)).size).toBe(1);
    const joined = required(all[0]?.person);
    expect((await person(joined.personId)).memberships).toMatchObject([{ accountId, role: Role.DEVELOPER }]);
    // A removed member does not join again.
    await fixture.pool.query('DELETE FROM auth.memberships WHERE person_id = $1', [joined.personId]);
    await signInJoining(address);
    expect((await person(joined.personId)).memberships).toEqual([]);
  });
});

describe('sign-ins of people with invitations to the same accounts', () => {
  it('do not deadlock, also when an invitation is withdrawn at the same time', async () => {
    const { pool, auth } = fixture;
    const first = (await auth.createAccount()).accountId;
    const second = (await auth.createAccount()).accountId;
    const [one, other] = [newEmail(), newEmail()];
    await invite(one, Role.ADMIN, second);
    for (const accountId of [first, second]) await invite(other, Role.ADMIN, accountId);
    const waiting = async (count: number) =>
      vi.waitFor(async () => expect((await pool.query(WAITING)).rows).toEqual([{ count }]), 10_000);
    const withdrawal = await pool.connect();
    try {
      await withdrawal.query('BEGIN');
      await withdrawal.query('DELETE FROM auth.invitations WHERE email = $1', [one]);
      const join = { accountId: first, role: Role.BILLING };
      const joining = signIn({ identity: identity(), verifiedEmail: one, join });
      await waiting(1);
      const accepting = signIn({ identity: identity(), verifiedEmail: other });
      await waiting(2);
      await withdrawal.query('COMMIT');
      const [joined, accepted] = await Promise.all([joining, accepting]);
      const accountsOf = async (personId = '') => {
        const { memberships } = await person(personId);
        return memberships.map(({ accountId }) => accountId).sort();
      };
      expect(await accountsOf(joined.person?.personId)).toEqual([first]);
      expect(await accountsOf(accepted.person?.personId)).toEqual([first, second]);
    } finally {
      withdrawal.release();
    }
  });
});

describe('the first operator', () => {
  it('is created once, when there is none', async () => {
    const own = await startAuth();
    const { client: console } = own.auth;
    const ensure = (email: string) =>
      unaryCall(console.ensureFirstOperator.bind(console), { email, passwordHash: HASH }, LONG);
    const results = await Promise.all(Array.from({ length: 5 }, (_, index) => ensure(`op${index}@example.com`)));
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    const { operators } = await unaryCall(console.listOperators.bind(console), {}, LONG);
    expect(operators).toMatchObject([{ isOperator: true, hasPassword: true }]);
    await own.stop();
  });
});
