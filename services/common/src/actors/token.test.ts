import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { actorWith } from '../../testing/actors.ts';
import {
  ACTOR_TOKEN_MS,
  type Actor,
  CLOCK_TOLERANCE_S,
  MAX_TOKEN_KEYS,
  MAX_TOKEN_PROJECTS,
  readPublicKeys,
  readSigningKey,
  signActorToken,
  verifyActorToken,
} from './token.ts';

const NOW = Date.UTC(2026, 10, 23);
const ACCOUNT = '0190a5b0-0000-7000-8000-000000000000';
const ours = generateKeyPairSync('ed25519');
const theirs = generateKeyPairSync('ed25519');

const sign = (actor: Actor, nowMs = NOW) => signActorToken(ours.privateKey, actor, nowMs);
const verify = (token: string, nowMs = NOW) => verifyActorToken([ours.publicKey], token, nowMs);

/** A token with claims of one's choice, correct where nothing else is given. */
function forge(
  claims: object,
  { alg = 'EdDSA', key = ours.privateKey }: { alg?: string; key?: Parameters<SignJWT['sign']>[0] } = {},
) {
  const seconds = NOW / 1_000;
  return new SignJWT({
    sub: '',
    name: 'x',
    role: 'operator',
    via: 'cli',
    iss: 'tollgate-auth',
    aud: 'tollgate',
    iat: seconds,
    exp: seconds + 60,
    ...claims,
  })
    .setProtectedHeader({ alg })
    .sign(key);
}

describe('a token', () => {
  it.each([
    actorWith({ name: 'Ana Müller' }),
    actorWith({ id: 'person', role: 'owner', via: 'console', accountId: ACCOUNT, readOnly: true }),
    actorWith({ id: 'person', role: 'developer', via: 'console', accountId: ACCOUNT, keyIds: ['a', 'b'] }),
    actorWith({ id: 'person', role: 'developer', via: 'console', accountId: ACCOUNT, keyIds: [] }),
    actorWith({ id: 'key', role: 'billing', via: 'api', accountId: ACCOUNT }),
  ])('names the actor it was signed for: $role', async (actor) => {
    expect(await verify(await sign(actor))).toEqual(actor);
  });

  it('is not accepted for longer, whatever it says itself', async () => {
    const token = await forge({ exp: NOW / 1_000 + 3_600 });
    expect(await verify(token, NOW + ACTOR_TOKEN_MS)).toBeDefined();
    expect(await verify(token, NOW + ACTOR_TOKEN_MS + CLOCK_TOLERANCE_S * 1_000 + 1_000)).toBeUndefined();
  });

  it('is accepted until it expires, and a little longer for clocks that differ', async () => {
    const token = await sign(actorWith());
    const lastMs = NOW + ACTOR_TOKEN_MS + CLOCK_TOLERANCE_S * 1_000;
    expect(await verify(token, lastMs - 1_000)).toBeDefined();
    expect(await verify(token, lastMs)).toBeUndefined();
  });

  it('is accepted if any of the keys has signed it', async () => {
    const token = await sign(actorWith());
    expect(await verifyActorToken([theirs.publicKey, ours.publicKey], token, NOW)).toBeDefined();
    expect(await verifyActorToken([theirs.publicKey], token, NOW)).toBeUndefined();
    expect(await verifyActorToken([], token, NOW)).toBeUndefined();
  });

  it('is refused if a part of it was changed', async () => {
    const [header = '', , signature = ''] = (await sign(actorWith({ role: 'owner', accountId: ACCOUNT }))).split('.');
    const [, operator = ''] = (await sign(actorWith())).split('.');
    expect(await verify([header, operator, signature].join('.'))).toBeUndefined();
    for (const text of ['', 'x', '..', `${header}..${signature}`]) expect(await verify(text)).toBeUndefined();
  });

  it.each([
    ['another audience', { aud: 'other' }],
    ['no audience', { aud: undefined }],
    ['another issuer', { iss: 'other' }],
    ['no expiry', { exp: undefined }],
    ['no time of issue', { iat: undefined }],
    ['no subject', { sub: undefined }],
    ['a role that does not exist', { role: 'root' }],
    ['another way of making calls', { via: 'elsewhere' }],
    ['a member without an account', { role: 'owner' }],
    ['a member of an account without a name', { role: 'owner', account: '' }],
    ['too many keys', { keys: Array.from({ length: MAX_TOKEN_KEYS + 1 }, () => 'x') }],
    ['too many projects', { projects: Array.from({ length: MAX_TOKEN_PROJECTS + 1 }, () => 'x') }],
    ['no project at all', { projects: [] }],
  ])('is refused with %s', async (_, claims) => {
    expect(await verify(await forge({}))).toBeDefined();
    expect(await verify(await forge(claims))).toBeUndefined();
  });

  it('is refused with another algorithm: the public key is no shared secret, and a signature is required', async () => {
    const secret = new TextEncoder().encode(ours.publicKey.export({ type: 'spki', format: 'pem' }).toString());
    expect(await verify(await forge({}, { alg: 'HS256', key: secret }))).toBeUndefined();
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    const [, claims = ''] = (await forge({})).split('.');
    expect(await verify(`${unsigned}.${claims}.`)).toBeUndefined();
  });

  it('is not signed for a member without an account, nor with too many keys', async () => {
    await expect(sign(actorWith({ role: 'admin' }))).rejects.toThrow('requires an account');
    const keyIds = Array.from({ length: MAX_TOKEN_KEYS + 1 }, () => ACCOUNT);
    await expect(sign(actorWith({ role: 'developer', accountId: ACCOUNT, keyIds }))).rejects.toThrow('too many keys');
  });
});

describe('keys', () => {
  const pem = (key: typeof ours) => key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });

  it('are read from PEM, public ones several at a time', () => {
    const text = ours.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(createPublicKey(readSigningKey(text)).equals(ours.publicKey)).toBe(true);
    const read = readPublicKeys(`# current\n${pem(ours)}\n# next\n${pem(theirs)}`);
    expect(read.map((key, index) => key.equals([ours, theirs][index]?.publicKey ?? key))).toEqual([true, true]);
    expect(read).toHaveLength(2);
  });

  it('are refused if they are of another kind', () => {
    expect(() => readSigningKey(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow('Ed25519');
    expect(() => readPublicKeys(pem(ours) + rsa.publicKey.export({ type: 'spki', format: 'pem' }))).toThrow('Ed25519');
    expect(() => readPublicKeys('')).toThrow('at least one');
    expect(() => readPublicKeys('-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----')).toThrow();
  });
});
