import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { RpcError } from '@tollgate/common/errors';
import { type OpenStreams, serveMessages } from '@tollgate/common/grpc/server-stream';
import type { Logger } from '@tollgate/common/logging';
import type { SettleRequest, SettleResponse } from '@tollgate/proto/ledger';
import { MAX_BATCH, type Settler } from '../settle/settler.ts';
import { isOutage } from '../store/retry.ts';

/** Maximum batches of one stream that wait for their commit. */
const MAX_IN_FLIGHT = 4;

/** Settles batches. Each response follows the commit and carries the sequence of its batch; the order may differ. */
export function createSettleHandler({
  logger,
  settler,
  streams,
}: {
  logger: Logger;
  settler: Settler;
  streams: OpenStreams;
}): handleBidiStreamingCall<SettleRequest, SettleResponse> {
  return (call) =>
    serveMessages(call, {
      name: 'Settle',
      logger,
      open: streams,
      isOutage,
      maxInFlight: MAX_IN_FLIGHT,
      handle: async ({ sequence, charges }, stream) => {
        if (charges.length > MAX_BATCH) {
          throw new RpcError('invalid_argument', `charges: at most ${MAX_BATCH} in a batch, got ${charges.length}`);
        }
        const outcomes = charges.length === 0 ? [] : await settler.settle(charges);
        await stream.send({ sequence, outcomes });
      },
    });
}
