import { RpcError } from '@tollgate/common/errors';
import { isUuid } from '@tollgate/common/ids';
import { centsOf } from '../money.ts';
import type { TimeRange } from '../store/audit.ts';

export const MAX_KEY_LENGTH = 200;

/** An amount of whole cents, more than nothing. */
export function amountArgument(nanos: bigint): bigint {
  if (nanos <= 0n) throw new RpcError('invalid_argument', 'amount_nanos: must be more than 0');
  if (centsOf(nanos) === undefined) throw new RpcError('invalid_argument', 'amount_nanos: must be in whole cents');
  return nanos;
}

/** The id after which a page follows; undefined for the first page. */
export function cursorArgument(cursor: string): string | undefined {
  if (cursor === '') return undefined;
  if (!isUuid(cursor)) throw new RpcError('invalid_argument', 'cursor: unknown; pass next_cursor of the previous page');
  return cursor.toLowerCase();
}

/** A page size of 1 to `max`; 0 is the default. */
export function limitArgument(value: number, max: number, otherwise: number): number {
  if (value < 0 || value > max) throw new RpcError('invalid_argument', `limit: must be 1 to ${max}`);
  return value === 0 ? otherwise : value;
}

/** The maximum of a JavaScript Date. */
const MAX_TIME_MS = 8_640_000_000_000_000n;

/** A time range, start inclusive, end exclusive, Unix milliseconds. */
export function rangeArgument(startMs: bigint, endMs: bigint): TimeRange {
  if (startMs < 0n || startMs > MAX_TIME_MS) throw new RpcError('invalid_argument', 'start_ms: out of range');
  if (endMs <= startMs || endMs > MAX_TIME_MS) {
    throw new RpcError('invalid_argument', 'end_ms: must be after start_ms, and in range');
  }
  return { startMs: Number(startMs), endMs: Number(endMs) };
}
