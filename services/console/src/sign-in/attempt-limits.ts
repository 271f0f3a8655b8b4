import { failedWith } from '@tollgate/common/errors';
import { networkOf } from '@tollgate/common/http/client-network';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { ApiError } from '../http/api-error.ts';
import {
  type AttemptRate,
  clearAttempts,
  giveBackAttempt,
  isKnownNetwork,
  rememberNetwork,
  takeAttempt,
} from '../store/attempts.ts';

/** Generous to a person who mistypes, and to an office behind one address; hostile to guessing. */
const RATES = {
  /** Passwords from one network, wrong ones only. */
  passwordsOfNetwork: { burst: 30, perSecond: 1 / 10 },
  /** Passwords for one address, wrong ones only. */
  passwordsOfAddress: { burst: 10, perSecond: 1 / 60 },
  /** Passwords for their own address by somebody who is signed in, wrong ones only. */
  passwordsOfSession: { burst: 10, perSecond: 1 / 60 },
  /** Reset mails. */
  resetsOfNetwork: { burst: 20, perSecond: 1 / 60 },
  resetsOfAddress: { burst: 3, perSecond: 1 / 600 },
  /** Invitations: what somebody who invites a team needs, and far from what fills a mailbox or the queue of e-mails. */
  invitationsOfPerson: { burst: 30, perSecond: 1 / 120 },
  invitationsOfAccount: { burst: 60, perSecond: 1 / 60 },
  invitationsOfAddress: { burst: 5, perSecond: 1 / 1_800 },
  /** Links from one network that are unknown or that nobody can use. */
  links: { burst: 30, perSecond: 1 / 10 },
  /** Passwords of new people by one link, which is not used up until they sign in. */
  newPasswordsOfLink: { burst: 5, perSecond: 1 / 60 },
  /** Sign-ins with OpenID Connect that one network begins. */
  oidc: { burst: 60, perSecond: 1 / 5 },
  /** Sign-ins of the command line that one network begins. */
  devicesOfNetwork: { burst: 20, perSecond: 1 / 30 },
  /** Codes of the command line that a person types and that nobody waits with. */
  userCodesOfPerson: { burst: 10, perSecond: 1 / 60 },
  /** Unknown management keys from one network. */
  managementKeys: { burst: 30, perSecond: 1 },
} as const satisfies Record<string, AttemptRate>;

type Kind = keyof typeof RATES;

const nameOf = (kind: Kind, subject: string) => `${kind} ${subject}`;

/** Counts an attempt; throws ApiError too_many_requests. */
async function take(db: Queryable, kind: Kind, subject: string): Promise<string> {
  const name = nameOf(kind, subject);
  const rate = RATES[kind];
  if (await takeAttempt(db, name, rate)) return name;
  throw new ApiError('too_many_requests', 'Too many attempts. Wait a few minutes, then try again.', {
    retryAfterS: Math.ceil(1 / rate.perSecond),
  });
}

/**
 * Counts an attempt to give the password of an address. Guesses of strangers, from elsewhere or from the same network, do not
 * lock out a person at a network from which they have signed in before, or where they have used a reset link.
 *
 * @returns to be called once the password was right
 */
export async function takePasswordAttempt(db: Queryable, email: string, ip: string): Promise<() => Promise<void>> {
  const network = networkOf(ip);
  if (await isKnownNetwork(db, email, network)) {
    const ofPerson = await take(db, 'passwordsOfAddress', atNetwork(email, network));
    return () => giveBackAttempt(db, ofPerson);
  }
  const ofNetwork = await take(db, 'passwordsOfNetwork', network);
  const ofAddress = await take(db, 'passwordsOfAddress', email);
  return async () => {
    await giveBackAttempt(db, ofNetwork);
    await giveBackAttempt(db, ofAddress);
  };
}

const atNetwork = (email: string, network: string) => `${email} ${network}`;

/** Counts an attempt of a signed-in person to give their own password. @returns to be called once it was right */
export async function takeSessionPasswordAttempt(db: Queryable, sessionId: string): Promise<() => Promise<void>> {
  const name = await take(db, 'passwordsOfSession', sessionId);
  return () => giveBackAttempt(db, name);
}

/** Forgets wrong passwords for an address whose owner has used a reset link, and knows them at their network from now on. */
export async function clearPasswordAttempts(db: Queryable, email: string, ip: string): Promise<void> {
  const network = networkOf(ip);
  const subjects = [email, atNetwork(email, network)];
  await clearAttempts(
    db,
    subjects.map((subject) => nameOf('passwordsOfAddress', subject)),
  );
  await rememberNetwork(db, email, network);
}

/** Counts a request for a reset mail. */
export async function takeResetAttempt(db: Queryable, email: string, ip: string): Promise<void> {
  await take(db, 'resetsOfNetwork', networkOf(ip));
  await take(db, 'resetsOfAddress', email);
}

/** Makes a call of auth with the secret of a link, and counts it if there is no such link or it cannot be used. */
export async function withLink<T>(db: Queryable, ip: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const isRefused = failedWith(error, 'not_found') || failedWith(error, 'failed_precondition');
    if (isRefused) await take(db, 'links', networkOf(ip));
    throw error;
  }
}

/**
 * Counts an invitation.
 *
 * @param invitation inviterId undefined: a program; accountId empty: to be an operator
 */
export async function takeInvitationAttempt(
  db: Queryable,
  { inviterId, accountId, email }: { inviterId: string | undefined; accountId: string; email: string },
): Promise<void> {
  if (inviterId !== undefined) await take(db, 'invitationsOfPerson', inviterId);
  await take(db, 'invitationsOfAccount', accountId);
  await take(db, 'invitationsOfAddress', email);
}

/** Counts a password of a new person, by the link with which they set it. */
export async function takeNewPasswordAttempt(db: Queryable, secretSha256: Buffer): Promise<void> {
  await take(db, 'newPasswordsOfLink', secretSha256.toString('hex'));
}

/** Counts a sign-in with OpenID Connect that leaves for the provider. */
export async function takeOidcAttempt(db: Queryable, ip: string): Promise<void> {
  await take(db, 'oidc', networkOf(ip));
}

/** Counts a management key that is unknown. */
export async function takeManagementKeyAttempt(db: Queryable, ip: string): Promise<void> {
  await take(db, 'managementKeys', networkOf(ip));
}

/** Counts a sign-in that the command line begins. */
export async function takeDeviceAttempt(db: Queryable, ip: string): Promise<void> {
  await take(db, 'devicesOfNetwork', networkOf(ip));
}

/** Uses a code of the command line that a person has typed, and counts it if it leads to nothing. */
export async function takeUserCodeAttempt<T>(
  db: Queryable,
  personId: string,
  use: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const name = await take(db, 'userCodesOfPerson', personId);
  const found = await use();
  if (found !== undefined) await giveBackAttempt(db, name);
  return found;
}
