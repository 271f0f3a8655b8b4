import { RpcError } from '@tollgate/common/errors';
import { limitArgument } from '@tollgate/common/grpc/arguments';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { ListQuarantinedRequest, ListQuarantinedResponse } from '@tollgate/proto/ledger';
import { listQuarantined, type QuarantineKey } from '../store/quarantined-charges.ts';

const MAX_LIMIT = 1_000;

/** A page of quarantined charges. */
export function createListQuarantinedHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<ListQuarantinedRequest, ListQuarantinedResponse> {
  return async (request) => {
    const limit = limitArgument(request.limit, MAX_LIMIT);
    const found = await listQuarantined(pool, request.accountId, readCursor(request.cursor), limit + 1);
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const charges = rows.map(({ charge, ...row }) => {
      const { model, costNanos, holdNanos } = charge;
      return { ...row, model, costNanos, holdNanos };
    });
    return { charges, nextCursor: found.length > limit && last !== undefined ? writeCursor(last) : '' };
  };
}

function writeCursor({ accountId, requestId, contentHash }: QuarantineKey): string {
  return Buffer.from(JSON.stringify([accountId, requestId, contentHash])).toString('base64url');
}

/** Parses a cursor; undefined for the first page. */
function readCursor(text: string): QuarantineKey | undefined {
  if (text === '') return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text.slice(0, 2_000), 'base64url').toString('utf8'));
  } catch {
    parts = undefined;
  }
  const [accountId, requestId, contentHash]: unknown[] = Array.isArray(parts) ? parts : [];
  const isKey = typeof accountId === 'string' && typeof requestId === 'string' && typeof contentHash === 'string';
  if (!isKey || !/^([0-9a-f]{2})*$/.test(contentHash)) {
    throw new RpcError('invalid_argument', 'cursor: unknown; pass next_cursor of the previous page');
  }
  return { accountId, requestId, contentHash };
}
