import type { Queryable } from '@tollgate/common/postgres/pool';
import { ApiError } from '../http/api-error.ts';
import { networkOf } from '../http/client-address.ts';
import { type AttemptRate, giveBackAttempt, isKnownNetwork, rememberNetwork, takeAttempt } from '../store/attempts.ts';

/** Generous to a person who mistypes, and to an office behind one address; hostile to guessing. */
const RATES = {
  /** Passwords from one network, wrong ones only. */
  passwordsOfNetwork: { burst: 30, perSecond: 1 / 10 },
  /** Passwords for one address, wrong ones only. */
  passwordsOfAddress: { burst: 10, perSecond: 1 / 60 },
  /** Reset mails. */
  resetsOfNetwork: { burst: 20, perSecond: 1 / 60 },
  resetsOfAddress: { burst: 3, perSecond: 1 / 600 },
  /** Uses of links from one network. */
  links: { burst: 30, perSecond: 1 / 10 },
  /** Sign-ins with OpenID Connect that one network begins. */
  oidc: { burst: 60, perSecond: 1 / 5 },
  /** Unknown management keys from one network. */
  managementKeys: { burst: 30, perSecond: 1 },
} as const satisfies Record<string, AttemptRate>;

/** Counts an attempt; throws ApiError too_many_requests. */
async function take(db: Queryable, kind: keyof typeof RATES, subject: string): Promise<string> {
  const name = `${kind} ${subject}`;
  const rate = RATES[kind];
  if (await takeAttempt(db, name, rate)) return name;
  throw new ApiError('too_many_requests', 'Too many attempts. Wait a few minutes, then try again.', {
    retryAfterS: Math.ceil(1 / rate.perSecond),
  });
}

/**
 * Counts an attempt to give the password of an address. Guesses from elsewhere do not lock out a person at a network from
 * which they have signed in before.
 *
 * @returns to be called once the password was right
 */
export async function takePasswordAttempt(db: Queryable, email: string, ip: string): Promise<() => Promise<void>> {
  const network = networkOf(ip);
  const ofNetwork = await take(db, 'passwordsOfNetwork', network);
  const isKnown = await isKnownNetwork(db, email, network);
  const ofAddress = await take(db, 'passwordsOfAddress', isKnown ? `${email} ${network}` : email);
  return async () => {
    await giveBackAttempt(db, ofNetwork);
    await giveBackAttempt(db, ofAddress);
    await rememberNetwork(db, email, network);
  };
}

/** Counts a request for a reset mail. */
export async function takeResetAttempt(db: Queryable, email: string, ip: string): Promise<void> {
  await take(db, 'resetsOfNetwork', networkOf(ip));
  await take(db, 'resetsOfAddress', email);
}

/** Counts a use of a link. */
export async function takeLinkAttempt(db: Queryable, ip: string): Promise<void> {
  await take(db, 'links', networkOf(ip));
}

/** Counts a sign-in with OpenID Connect that leaves for the provider. */
export async function takeOidcAttempt(db: Queryable, ip: string): Promise<void> {
  await take(db, 'oidc', networkOf(ip));
}

/** Counts a management key that is unknown. */
export async function takeManagementKeyAttempt(db: Queryable, ip: string): Promise<void> {
  await take(db, 'managementKeys', networkOf(ip));
}
