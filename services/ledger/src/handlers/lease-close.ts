import { RpcError } from '@tollgate/common/errors';
import { isUuid } from '@tollgate/common/ids';
import type { CloseSession } from '@tollgate/proto/ledger';
import { closeSession } from '../leases/end-session.ts';
import { withRetries } from '../retry.ts';
import type { LeaseContext, Send } from './lease.ts';

/** Ends a session, this stream's or that of an earlier process, and frees its credit. */
export async function handleClose({ pool }: LeaseContext, request: CloseSession, send: Send): Promise<void> {
  const sessionId = request.sessionId.toLowerCase();
  if (!isUuid(sessionId)) throw new RpcError('invalid_argument', 'close.session_id: not a UUID');
  await withRetries(() => closeSession(pool, sessionId));
  await send({ $case: 'closed', value: { sessionId } });
}
