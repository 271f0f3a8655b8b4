import { createHash } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { ExpiringMap } from '../expiring-map.ts';
import { takeManagementKeyAttempt } from '../sign-in/attempt-limits.ts';
import { type IssuedToken, toIssuedToken, unlessDenied } from './issued-token.ts';

/** How long a token is used again: a deleted key can act this much longer than its token lives. */
const REUSE_MS = 5_000;
const MAX_KEYS = 1_000;
const DEADLINE_MS = 5_000;

/** `mk-<service>-<secret>`. */
const KEY = /^mk-[0-9A-Za-z-]{20,200}$/;

/** Gets tokens of management keys from auth, and uses each for a moment. Lookups of unknown keys are limited. */
export class ManagementKeys {
  readonly #auth: AuthServiceClient;
  readonly #pool: Pool;
  readonly #tokens = new ExpiringMap<IssuedToken>(MAX_KEYS);
  readonly #lookups = new Map<string, Promise<IssuedToken | undefined>>();

  constructor({ auth, pool }: { auth: AuthServiceClient; pool: Pool }) {
    this.#auth = auth;
    this.#pool = pool;
  }

  /**
   * The token of a presented key; undefined if there is no such active key.
   *
   * @param ip of the client
   * @throws ApiError too_many_requests: the client has presented too many unknown keys
   */
  async tokenOf(key: string, ip: string): Promise<IssuedToken | undefined> {
    if (!KEY.test(key)) return undefined;
    const sha256 = createHash('sha256').update(key).digest();
    const name = sha256.toString('hex');
    const known = this.#tokens.get(name);
    if (known !== undefined) return known;
    // Calls that come together share one lookup.
    const lookup = this.#lookups.get(name) ?? this.#lookUp(sha256, ip).finally(() => this.#lookups.delete(name));
    this.#lookups.set(name, lookup);
    const token = await lookup;
    if (token !== undefined) this.#tokens.set(name, token, REUSE_MS);
    return token;
  }

  async #lookUp(keySha256: Buffer, ip: string): Promise<IssuedToken | undefined> {
    const giveBack = await takeManagementKeyAttempt(this.#pool, ip);
    const auth = this.#auth;
    const issued = await unlessDenied(
      unaryCall(auth.issueManagementKeyToken.bind(auth), { keySha256 }, { deadlineMs: DEADLINE_MS }),
    );
    if (issued === undefined) return undefined;
    await giveBack();
    return toIssuedToken(issued);
  }
}
