import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { ListedKind } from '../providers/provider.ts';

/** The id of this installation in the metadata of its payments. */
export async function readInstallationId(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ id: string }>('SELECT installation_id::text AS id FROM payments.provider_state');
  return onlyRow(rows, 'payments.provider_state has no row').id;
}

/** Records that an event was handled. */
export async function recordEvent(db: Queryable, nowMs: number): Promise<void> {
  await db.query({
    name: 'record-event',
    text: 'UPDATE payments.provider_state SET last_event_ms = greatest(last_event_ms, $1)',
    values: [nowMs],
  });
}

/** When the last good event was handled, by any replica; undefined: none was. */
export async function readLastEvent(db: Queryable): Promise<number | undefined> {
  const { rows } = await db.query<{ ms: bigint | null }>('SELECT last_event_ms AS ms FROM payments.provider_state');
  const { ms } = onlyRow(rows, 'payments.provider_state has no row');
  return ms === null ? undefined : Number(ms);
}

/** Takes the next pass of the reconciler, if it is due: no replica begins another one until `nextMs`. */
export async function claimPass(db: Queryable, nowMs: number, nextMs: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'claim-pass',
    text: 'UPDATE payments.provider_state SET next_pass_ms = $2 WHERE next_pass_ms <= $1',
    values: [nowMs, nextMs],
  });
  return rowCount === 1;
}

/** How far a list of the provider was read. */
export interface ListPosition {
  /** Everything created before is listed. */
  cursorMs: number;
  /** The end of the window that is being listed; undefined: none is. */
  windowEndMs: number | undefined;
  afterId: string | undefined;
}

export async function readListPosition(db: Queryable, kind: ListedKind): Promise<ListPosition> {
  const { rows } = await db.query<{ cursor_ms: bigint; window_end_ms: bigint | null; after_id: string | null }>({
    name: 'read-list-position',
    text: 'SELECT cursor_ms, window_end_ms, after_id FROM payments.provider_lists WHERE kind = $1',
    values: [kind],
  });
  const { cursor_ms, window_end_ms, after_id } = onlyRow(rows, `payments.provider_lists has no row of ${kind}`);
  return {
    cursorMs: Number(cursor_ms),
    windowEndMs: window_end_ms === null ? undefined : Number(window_end_ms),
    afterId: after_id ?? undefined,
  };
}

export async function saveListPosition(db: Queryable, kind: ListedKind, position: ListPosition): Promise<void> {
  await db.query({
    name: 'save-list-position',
    text: 'UPDATE payments.provider_lists SET cursor_ms = $2, window_end_ms = $3, after_id = $4 WHERE kind = $1',
    values: [kind, position.cursorMs, position.windowEndMs, position.afterId],
  });
}
