import { messageOf } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { CachedKey } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import { type AuthServiceClient, KeyRefusal, type ResolveKeyResponse } from '@tollgate/proto/auth';
import { REFUSED, type RefusedKey } from './result.ts';
import { Slots } from './slots.ts';

/** Calls to auth at once, and those that wait for their turn. */
const MOST_CALLS = 64;
const MOST_WAITING = 1_000;
const WAIT_MS = 1_000;
const DEADLINE_MS = 2_000;

/** What auth says of a key: undefined when it did not answer. */
export type Answer = { kind: 'active'; key: CachedKey } | RefusedKey | undefined;

/** Asks auth for keys that the cache cannot vouch for. */
export class KeyResolver {
  readonly #auth: AuthServiceClient;
  readonly #logger: Logger;
  readonly #slots = new Slots(MOST_CALLS, MOST_WAITING);
  readonly #flights = new Map<string, Promise<Answer>>();
  #down = false;

  constructor(auth: AuthServiceClient, logger: Logger) {
    this.#auth = auth;
    this.#logger = logger;
  }

  /**
   * Asks for one key, under the active span.
   *
   * @param join whether the answer to a question asked earlier will do. It will only for a caller that is told of every
   *   deletion: an earlier question may have been answered from before a deletion that is over by now.
   */
  resolve(accountTag: string, sha256: string, join: boolean): Promise<Answer> {
    const running = join ? this.#flights.get(sha256) : undefined;
    if (running !== undefined) return running;
    const flight = this.#ask(accountTag, sha256).finally(() => {
      if (this.#flights.get(sha256) === flight) this.#flights.delete(sha256);
    });
    this.#flights.set(sha256, flight);
    return flight;
  }

  async #ask(accountTag: string, sha256: string): Promise<Answer> {
    if (!(await this.#slots.take(WAIT_MS))) return undefined;
    try {
      const request = { keySha256: Buffer.from(sha256, 'hex'), accountTag };
      const response = await unaryCall(this.#auth.resolveKey.bind(this.#auth), request, { deadlineMs: DEADLINE_MS });
      if (this.#down) this.#logger.info('auth answers again');
      this.#down = false;
      return toAnswer(response);
    } catch (error) {
      if (!this.#down) this.#logger.warn({ reason: messageOf(error) }, 'auth did not resolve a key');
      this.#down = true;
      return undefined;
    } finally {
      this.#slots.release();
    }
  }
}

function toAnswer({ result }: ResolveKeyResponse): Answer {
  if (result === undefined) return undefined;
  switch (result.$case) {
    case 'active':
      return { kind: 'active', key: { ...result.value, expiresAtMs: Number(result.value.expiresAtMs) } };
    case 'refused':
      return toRefusal(result.value);
    default:
      return result satisfies never;
  }
}

function toRefusal(refusal: KeyRefusal): RefusedKey {
  switch (refusal) {
    case KeyRefusal.DELETED:
      return REFUSED.deleted;
    case KeyRefusal.EXPIRED:
      return REFUSED.expired;
    case KeyRefusal.ACCOUNT_SUSPENDED:
      return REFUSED.account_suspended;
    case KeyRefusal.UNKNOWN:
    case KeyRefusal.UNSPECIFIED:
      return REFUSED.unknown;
    default:
      return refusal satisfies never;
  }
}
