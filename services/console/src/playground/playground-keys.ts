import { unaryCall } from '@tollgate/common/grpc/client';
import type { Logger } from '@tollgate/common/logging';
import { type AuthServiceClient, CreateKeyRequest } from '@tollgate/proto/auth';
import { ApiError } from '../http/api-error.ts';
import type { Session } from '../sessions/session.ts';
import { PLAYGROUND_TAGS } from './playground-key.ts';

const LIFE_MS = 1_800_000;
/** A key is replaced when it has less than this left: more than the longest response takes. */
const RENEW_MS = 900_000;
const MAX_KEYS = 1_000;
const DEADLINE_MS = 10_000;
/** How long a stop waits for keys to be deleted; they expire soon in any case. */
const CLOSE_MS = 3_000;

/** A key of an account that one person uses through the playground. Only this process has its value. */
interface PlaygroundKey {
  keyId: string;
  secret: string;
  expiresAtMs: number;
  session: Session;
  accountId: string;
}

/** The tokens of people in accounts. */
export interface Tokens {
  tokenOf: (session: Session, accountId: string) => Promise<{ token: string }>;
}

/** The keys with which the playground calls the gateway, one for each person and account. */
export class PlaygroundKeys {
  readonly #auth: AuthServiceClient;
  readonly #tokens: Tokens;
  readonly #logger: Logger;
  /** By person and account, the oldest first. */
  readonly #keys = new Map<string, Promise<PlaygroundKey>>();

  constructor({ auth, tokens, logger }: { auth: AuthServiceClient; tokens: Tokens; logger: Logger }) {
    this.#auth = auth;
    this.#tokens = tokens;
    this.#logger = logger;
  }

  /** The value of a key that stays valid for the longest response; creates one where needed. */
  async valueFor(session: Session, accountId: string): Promise<string> {
    // A key that was made before would spend what an operator may only look at.
    if (session.viewAsAccountId !== undefined) throw new ApiError('not_allowed', 'Viewing an account spends nothing.');
    const name = nameOf(session.personId, accountId);
    const known = this.#keys.get(name);
    if (known !== undefined) {
      const key = await known.catch(() => undefined);
      if (key !== undefined && key.expiresAtMs - Date.now() > RENEW_MS) return key.secret;
      // Another call may have replaced it in the meantime.
      if (this.#keys.get(name) === known) this.#keys.delete(name);
    }
    const created = this.#keys.get(name) ?? this.#create(session, accountId);
    this.#keep(name, created);
    return (await created).secret;
  }

  /**
   * Forgets a key that the gateway does not accept because somebody has deleted it: people see it in their list of keys.
   *
   * @returns false if it is not deleted, so that another key would not be accepted either
   */
  async forgetIfDeleted(session: Session, accountId: string): Promise<boolean> {
    const name = nameOf(session.personId, accountId);
    const kept = this.#keys.get(name);
    if (kept === undefined) return true;
    const auth = this.#auth;
    const { keyId } = await kept;
    const { token } = await this.#tokens.tokenOf(session, accountId);
    const options = { deadlineMs: DEADLINE_MS, actorToken: token };
    const { key } = await unaryCall(auth.getKey.bind(auth), { accountId, keyId }, options);
    if (key?.deletedAtMs === 0n) return false;
    if (this.#keys.get(name) === kept) this.#keys.delete(name);
    return true;
  }

  /** Deletes the keys of a person who signs out. Does not wait, and does not fail: keys expire in any case. */
  deleteOf(personId: string): void {
    for (const [name, key] of this.#keys) if (name.startsWith(nameOf(personId, ''))) void this.#drop(name, key);
  }

  /** Deletes all keys, as far as that takes no longer than a stop may wait. */
  async close(): Promise<void> {
    const deletions = [...this.#keys].map(([name, key]) => this.#drop(name, key));
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_MS);
    await Promise.race([Promise.all(deletions), timeout]);
    clearTimeout(timer);
  }

  #keep(name: string, key: Promise<PlaygroundKey>): void {
    this.#keys.set(name, key);
    key.catch(() => {
      if (this.#keys.get(name) === key) this.#keys.delete(name);
    });
    const [oldest] = this.#keys;
    if (this.#keys.size > MAX_KEYS && oldest !== undefined) void this.#drop(...oldest);
  }

  async #create(session: Session, accountId: string): Promise<PlaygroundKey> {
    const auth = this.#auth;
    const { token } = await this.#tokens.tokenOf(session, accountId);
    const { person } = await unaryCall(
      auth.getPerson.bind(auth),
      { personId: session.personId },
      { deadlineMs: DEADLINE_MS },
    );
    const expiresAtMs = Date.now() + LIFE_MS;
    const request = CreateKeyRequest.fromPartial({
      accountId,
      name: `Playground (${person?.email ?? ''})`.slice(0, 200),
      expiresAtMs: BigInt(expiresAtMs),
      tags: { ...PLAYGROUND_TAGS },
    });
    const options = { deadlineMs: DEADLINE_MS, actorToken: token };
    const { key, secret } = await unaryCall(auth.createKey.bind(auth), request, options);
    if (key === undefined) throw new Error('auth has returned no key');
    return { keyId: key.keyId, secret, expiresAtMs, session, accountId };
  }

  async #drop(name: string, kept: Promise<PlaygroundKey>): Promise<void> {
    this.#keys.delete(name);
    const auth = this.#auth;
    try {
      const { keyId, accountId, session } = await kept;
      const { token } = await this.#tokens.tokenOf(session, accountId);
      const options = { deadlineMs: DEADLINE_MS, actorToken: token };
      await unaryCall(auth.deleteKey.bind(auth), { keyId, accountId }, options);
    } catch (error) {
      this.#logger.info({ err: error }, 'a key of the playground was not deleted; it expires soon');
    }
  }
}

function nameOf(personId: string, accountId: string): string {
  return `${personId} ${accountId.toLowerCase()}`;
}
