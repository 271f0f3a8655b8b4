import { RpcError } from '@tollgate/common/errors';
import { isUuid } from '@tollgate/common/ids';
import type { Cursor, TimeRange } from '../store/time.ts';

/** A page size of 1 to `max`. */
export function limitArgument(value: number, max: number): number {
  if (value < 1 || value > max) throw new RpcError('invalid_argument', `limit: must be 1 to ${max}`);
  return value;
}

/** The maximum of a JavaScript Date. */
const MAX_TIME_MS = 8_640_000_000_000_000n;

/** A time range, start inclusive, end exclusive, Unix milliseconds. */
export function rangeArgument(startMs: bigint, endMs: bigint): TimeRange {
  if (startMs < 0n || startMs > MAX_TIME_MS) throw new RpcError('invalid_argument', 'start_ms: out of range');
  if (endMs < 0n || endMs > MAX_TIME_MS) throw new RpcError('invalid_argument', 'end_ms: out of range');
  if (startMs >= endMs) throw new RpcError('invalid_argument', 'end_ms: must be after start_ms');
  return { startMs: Number(startMs), endMs: Number(endMs) };
}

export function cursorText(cursor: Cursor): string {
  return Buffer.from(`${cursor.timeMs}.${cursor.id}`).toString('base64url');
}

/** Parses a cursor; undefined for the first page. */
export function cursorArgument(text: string): Cursor | undefined {
  if (text === '') return undefined;
  const [time = '', id = ''] = Buffer.from(text.slice(0, 200), 'base64url').toString('utf8').split('.');
  if (!/^\d{1,16}$/.test(time) || !isUuid(id))
    throw new RpcError('invalid_argument', 'cursor: unknown; pass next_cursor of the previous page');
  return { timeMs: Number(time), id };
}
