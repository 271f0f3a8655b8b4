import { describe, expect, it, vi } from 'vitest';
import { hashPassword, matchesHash, PLACEHOLDER_HASH } from './password-hash.ts';
import { Passwords } from './passwords.ts';

const PASSWORD = 'correct horse battery staple';

describe('a password', () => {
  it('matches its own hash, in every Unicode form, and no other', async () => {
    const hash = await hashPassword('Ünïcode pässword');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await matchesHash('Ünïcode pässword'.normalize('NFD'), hash)).toBe(true);
    expect(await matchesHash('Unicode password', hash)).toBe(false);
    expect(await hashPassword('Ünïcode pässword')).not.toBe(hash);
  });

  it.each([
    '',
    PASSWORD,
    '$argon2id$v=19$m=9999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=99,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=2,p=99$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2i$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  ])('is not compared with %j, and the error does not quote it', async (hash) => {
    await expect(matchesHash(PASSWORD, hash)).rejects.toThrow(/^a stored password hash is not usable$/);
  });
});

describe('checking a password', () => {
  it('does the same work with and without a hash', async () => {
    const stored = await hashPassword(PASSWORD);
    const parametersOf = (hash: string) => hash.split('$').slice(1, 4).concat(`${hash.length}`);
    const checked: string[] = [];
    const passwords = new Passwords({
      hashing: {
        hashPassword,
        matchesHash: (password, hash) => {
          checked.push(hash);
          return matchesHash(password, hash);
        },
      },
    });
    expect(await passwords.matches(PASSWORD, stored)).toBe(true);
    expect(await passwords.matches('wrong', stored)).toBe(false);
    expect(await passwords.matches(PASSWORD, undefined)).toBe(false);
    expect(await passwords.matches('', undefined)).toBe(false);
    expect(checked).toEqual([stored, stored, PLACEHOLDER_HASH, PLACEHOLDER_HASH]);
    expect(parametersOf(PLACEHOLDER_HASH)).toEqual(parametersOf(stored));
  });
});

describe('hashing at the same time', () => {
  /** Passwords whose hashes are computed until the test finishes them, in order. */
  function slowPasswords(maxWaiting: number) {
    const running: { password: string; finish: () => void; fail: (error: Error) => void }[] = [];
    const compute = (password: string) =>
      new Promise<string>((resolve, reject) =>
        running.push({ password, finish: () => resolve(`hash of ${password}`), fail: reject }),
      );
    const matches = async (password: string) => (await compute(password)) === `hash of ${password}`;
    const passwords = new Passwords({ maxWaiting, hashing: { hashPassword: compute, matchesHash: matches } });
    return { passwords, running, names: () => running.map(({ password }) => password) };
  }

  it('is done for two at a time, and for the others in their order', async () => {
    const { passwords, running, names } = slowPasswords(10);
    const hashes = ['a', 'b', 'c', 'd'].map((password) => passwords.hash(password));
    const check = passwords.matches('e', 'a hash');
    await vi.waitFor(() => expect(names()).toEqual(['a', 'b']));
    running[1]?.finish();
    expect(await hashes[1]).toBe('hash of b');
    await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c']));
    running[0]?.fail(new Error('no memory'));
    await expect(hashes[0]).rejects.toThrow('no memory');
    await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c', 'd']));
    running[2]?.finish();
    await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']));
    for (const { finish } of running) finish();
    expect(await check).toBe(true);
    expect(await Promise.all(hashes.slice(1))).toEqual(['hash of b', 'hash of c', 'hash of d']);
    const later = [passwords.hash('f'), passwords.hash('g'), passwords.hash('h')];
    await vi.waitFor(() => expect(names().slice(5)).toEqual(['f', 'g']));
    for (const { finish } of running) finish();
    await vi.waitFor(() => expect(names().slice(5)).toEqual(['f', 'g', 'h']));
    running.at(-1)?.finish();
    await Promise.all(later);
  });

  it('is refused at once when too many wait', async () => {
    const { passwords, running, names } = slowPasswords(1);
    const accepted = ['a', 'b', 'c'].map((password) => passwords.hash(password));
    const refused = { code: 'unavailable', status: 503, retryAfterS: 5 };
    await expect(passwords.hash('d')).rejects.toMatchObject(refused);
    await expect(passwords.matches('e', undefined)).rejects.toMatchObject(refused);
    running[0]?.finish();
    await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c']));
    const next = passwords.hash('f');
    for (const { finish } of running) finish();
    await vi.waitFor(() => expect(names()).toEqual(['a', 'b', 'c', 'f']));
    running.at(-1)?.finish();
    await Promise.all([...accepted, next]);
  });
});
