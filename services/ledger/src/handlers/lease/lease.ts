import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import { RpcError } from '@tollgate/common/errors';
import { type OpenStreams, type ServerStream, serveMessages } from '@tollgate/common/grpc/server-stream';
import { isUuid } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { LeaseRequest, LeaseResponse } from '@tollgate/proto/ledger';
import { heartbeatIntervalMs, type LedgerConfig } from '../../config.ts';
import type { Recalls } from '../../recall/recalls.ts';
import { isOutage, withRetries } from '../../store/retry.ts';
import type { LeaseContext, Send } from './context.ts';
import { handleAcquire, handleRelease, handleReturn } from './credit.ts';
import { handleClose, handleHeartbeat, handleOpen } from './session.ts';

/** Maximum messages of one stream that are handled concurrently. */
const MAX_IN_FLIGHT = 32;

/**
 * Serves one Lease stream: the first message opens a session, all others are about it. They are handled concurrently; their
 * counters are cumulative, so their order does not matter.
 */
export function createLeaseHandler({
  config,
  logger,
  pool,
  recalls,
  streams,
}: {
  config: LedgerConfig;
  logger: Logger;
  pool: Pool;
  recalls: Recalls;
  streams: OpenStreams;
}): handleBidiStreamingCall<LeaseRequest, LeaseResponse> {
  const times = {
    sessionTtlMs: config.SESSION_TTL_MS,
    heartbeatIntervalMs: heartbeatIntervalMs(config),
    maxRequestMs: config.MAX_REQUEST_MS,
  };
  const context: LeaseContext = { pool, recalls, times };
  return (call) => {
    let session: { id: string; opened: Promise<void> } | undefined;
    serveMessages(call, {
      name: 'Lease',
      logger,
      open: streams,
      isOutage,
      maxInFlight: MAX_IN_FLIGHT,
      handle: async ({ message }, stream) => {
        const send: Send = (response) => stream.send({ message: response });
        if (message?.$case === 'open') {
          const id = message.value.sessionId.toLowerCase();
          if (!isUuid(id)) throw new RpcError('invalid_argument', 'open.session_id: must be a UUID');
          if (session !== undefined && session.id !== id) {
            throw new RpcError('invalid_argument', 'open.session_id: this stream belongs to another session');
          }
          const opened = withRetries(() => handleOpen(context, { ...message.value, sessionId: id }, send));
          session = { id, opened };
          await opened;
          attach(context, id, send, stream);
          return;
        }
        if (session === undefined) throw new RpcError('failed_precondition', 'the first message must open a session');
        await session.opened;
        await handleMessage(context, session.id, message, send, stream);
      },
    });
  };
}

/** Lets recalls reach the session, which knows now that it is open. */
function attach({ recalls }: LeaseContext, sessionId: string, send: Send, { gone }: ServerStream<LeaseResponse>): void {
  if (gone.aborted) return;
  const detach = recalls.attach(sessionId, send);
  gone.addEventListener('abort', detach, { once: true });
}

function handleMessage(
  context: LeaseContext,
  sessionId: string,
  message: Exclude<LeaseRequest['message'], { $case: 'open' }>,
  send: Send,
  stream: ServerStream<LeaseResponse>,
): Promise<void> {
  if (message === undefined) return Promise.resolve();
  switch (message.$case) {
    case 'heartbeat':
      return handleHeartbeat(context, sessionId, message.value, send);
    case 'acquire':
      return handleAcquire(context, sessionId, message.value, send, stream);
    case 'return':
      return handleReturn(context, sessionId, message.value, send);
    case 'close':
      return handleClose(context, message.value, send);
    case 'release':
      return handleRelease(context, message.value, send);
    default:
      return message satisfies never;
  }
}
