import { CAP_PERIOD_OF_LABEL, CEILING_PERIODS } from '@tollgate/common/cap-periods';
import { unaryCall } from '@tollgate/common/grpc/client';
import { atLeastZero } from '@tollgate/common/money';
import type { LimitRequest } from '@tollgate/proto/auth';
import type { LimitUsage } from '@tollgate/proto/console/keys';
import type { CapUsage } from '@tollgate/proto/ledger';
import type { Dependencies } from '../dependencies.ts';
import type { Handlers } from '../http/handlers.ts';
import { required } from '../required.ts';

/** Handlers of limit requests. */
export function limitRequestHandlers({ auth, ledger }: Dependencies) {
  return {
    getLimitRequest: async (request, { rpc }) => {
      const options = await rpc();
      const limitRequest = required((await unaryCall(auth.getLimitRequest.bind(auth), request, options)).limitRequest);
      const window = CEILING_PERIODS.find((label) => label === limitRequest.window);
      if (window === undefined) return { limitRequest, usage: undefined };
      const nodes = [{ nodeId: limitRequest.nodeId, periods: [CAP_PERIOD_OF_LABEL[window]] }];
      const { accountId } = request;
      const { caps } = await unaryCall(ledger.getCapUsage.bind(ledger), { accountId, nodes }, options);
      return { limitRequest, usage: usageOf(limitRequest, caps[0]) };
    },
  } satisfies Partial<Handlers>;
}

/** @param used undefined: the ledger does not show it to the caller */
function usageOf({ limitNanos: asked = 0n }: LimitRequest, used: CapUsage | undefined): LimitUsage | undefined {
  if (used === undefined) return undefined;
  const { spentNanos, heldNanos, periodEndMs } = used;
  // The ledger learns of a limit by the first request that it applies to.
  const limitNanos = used.limitNanos === 0n ? asked : used.limitNanos;
  return {
    limitNanos,
    spentNanos,
    heldNanos,
    leftNanos: atLeastZero(limitNanos - spentNanos - heldNanos),
    resetsAtMs: periodEndMs === 0n ? undefined : periodEndMs,
  };
}
