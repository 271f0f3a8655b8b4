import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { Charge, GetChargeRequest } from '@tollgate/proto/ledger';
import type { ChargeWaiters } from '../settle/charge-waiters.ts';
import { type ChargeName, findCharge } from '../store/charges.ts';
import { lookupArgument } from './arguments.ts';
import { forActor } from './for-actor.ts';
import { isInScope } from './key-scope.ts';

const MAX_WAIT_MS = 2_000;

/** How often a waiting lookup queries the database, for charges that another replica commits. */
const POLL_MS = 200;

/**
 * One charge by request or trace id; optionally waits for a charge that is not committed yet. A developer finds those of
 * their keys and what is below them.
 */
export function createGetChargeHandler(
  { pool, chargeWaiters }: { pool: Pool; chargeWaiters: ChargeWaiters },
  now: () => number = performance.now.bind(performance),
): UnaryHandler<GetChargeRequest, Charge> {
  return async (request, context) => {
    const accountId = uuidArgument('account_id', request.accountId);
    const name = lookupArgument(request.by);
    if (request.waitMs < 0 || request.waitMs > MAX_WAIT_MS) {
      throw new RpcError('invalid_argument', `wait_ms: must be 0 to ${MAX_WAIT_MS}`);
    }
    const charge =
      (await findCharge(pool, accountId, name)) ??
      (request.waitMs === 0 ? undefined : await waitFor(accountId, name, request.waitMs, context.signal));
    if (charge === undefined || !isInScope(charge, context)) {
      throw new RpcError('not_found', 'no such charge');
    }
    return forActor(charge, context);
  };

  async function waitFor(
    accountId: string,
    name: ChargeName,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<Charge | undefined> {
    const leave = chargeWaiters.enter();
    try {
      const until = now() + waitMs;
      for (let left = waitMs; left > 0 && !signal.aborted; left = until - now()) {
        await chargeWaiters.wait(accountId, name.id, Math.min(left, POLL_MS), signal);
        const found = await findCharge(pool, accountId, name);
        if (found !== undefined) return found;
      }
      return undefined;
    } finally {
      leave();
    }
  }
}
