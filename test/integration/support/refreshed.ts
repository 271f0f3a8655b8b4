import type { Issuer } from '@tollgate/test-support/clouds/issuer';
import { expect } from 'vitest';

/** An identity in use: who issues its credentials, and the status of a call with them. */
export interface UsedIdentity {
  issuer: Issuer;
  call: () => Promise<number>;
}

const LIFE_MS = 8_000;
const WATCHED_MS = 20_000;

/** Credentials that live for seconds are replaced before their end in the background: no call waits for one or fails. */
export async function expectRefreshedAhead(used: readonly UsedIdentity[]): Promise<void> {
  for (const { issuer } of used) {
    issuer.lifeMs = LIFE_MS;
    issuer.revoke();
  }
  // The first call is refused with the revoked credential.
  for (const { call } of used) await call();
  for (const { call } of used) expect(await call()).toBe(200);
  const before = used.map(({ issuer }) => issuer.issued.length);
  const endMs = Date.now() + WATCHED_MS;
  while (Date.now() < endMs) for (const { call } of used) expect(await call()).toBe(200);
  for (const [index, { issuer }] of used.entries()) {
    const first = before[index] ?? 0;
    // About one for each six seconds, whatever the number of calls.
    expect(issuer.issued.length - first).toBeGreaterThanOrEqual(2);
    expect(issuer.issued.length - first).toBeLessThanOrEqual(8);
    const all = issuer.issued.slice(first - 1);
    // Well before the last twentieth of its life, in which a call would wait for the next one.
    const latest = all.map(({ untilMs }) => untilMs - LIFE_MS / 10);
    for (const [at, next] of all.slice(1).entries()) expect(next.atMs).toBeLessThan(latest[at] ?? 0);
    issuer.lifeMs = 3_600_000;
  }
}
