import { createHash } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import { takeManagementKeyAttempt } from '../sign-in/attempt-limits.ts';
import { type IssuedToken, toIssuedToken, unlessDenied } from './issued-token.ts';

const DEADLINE_MS = 5_000;

/** `mk-<service>-<secret>`. */
const KEY = /^mk-[0-9A-Za-z-]{20,200}$/;

/** Gets tokens of management keys from auth. None is kept: a deleted key is dead at every console. */
export class ManagementKeys {
  readonly #auth: AuthServiceClient;
  readonly #pool: Pool;

  constructor({ auth, pool }: { auth: AuthServiceClient; pool: Pool }) {
    this.#auth = auth;
    this.#pool = pool;
  }

  /**
   * The token of a presented key; undefined if there is no such active key. Only unknown keys count: whoever presents many
   * does not lock out the others of their network.
   *
   * @param ip of the client
   * @throws ApiError too_many_requests: the key is unknown, and so were too many others of the network
   */
  async tokenOf(key: string, ip: string): Promise<IssuedToken | undefined> {
    if (!KEY.test(key)) return undefined;
    const keySha256 = createHash('sha256').update(key).digest();
    const auth = this.#auth;
    const issued = await unlessDenied(
      unaryCall(auth.issueManagementKeyToken.bind(auth), { keySha256 }, { deadlineMs: DEADLINE_MS }),
    );
    if (issued !== undefined) return toIssuedToken(issued);
    await takeManagementKeyAttempt(this.#pool, ip);
    return undefined;
  }
}
