import { RpcError } from '@tollgate/common/errors';
import { isUuid } from '@tollgate/common/ids';
import type { Cursor, TimeRange } from '../store/time.ts';

/** A UUID argument in lower case, or a refusal that names it. */
export function uuidArgument(name: string, value: string): string {
  if (!isUuid(value)) throw new RpcError('invalid_argument', `${name}: not a UUID`);
  return value.toLowerCase();
}

/** A text argument of 1 to `longest` characters. */
export function textArgument(name: string, value: string, maxLength: number): string {
  if (value.length < 1 || value.length > maxLength) {
    throw new RpcError('invalid_argument', `${name}: must have 1 to ${maxLength} characters`);
  }
  if (value.includes('\0')) throw new RpcError('invalid_argument', `${name}: must not hold a NUL character`);
  return value;
}

/** A page size of 1 to `most`. */
export function limitArgument(value: number, most: number): number {
  if (value < 1 || value > most) throw new RpcError('invalid_argument', `limit: must be 1 to ${most}`);
  return value;
}

/** The latest time a JavaScript Date can hold. */
const LATEST_MS = 8_640_000_000_000_000n;

/** A time range, start inclusive, end exclusive, Unix milliseconds. */
export function rangeArgument(startMs: bigint, endMs: bigint): TimeRange {
  if (startMs < 0n || startMs > LATEST_MS) throw new RpcError('invalid_argument', 'start_ms: not a time');
  if (endMs < 0n || endMs > LATEST_MS) throw new RpcError('invalid_argument', 'end_ms: not a time');
  if (startMs >= endMs) throw new RpcError('invalid_argument', 'end_ms: must be after start_ms');
  return { startMs: Number(startMs), endMs: Number(endMs) };
}

export function cursorText(cursor: Cursor): string {
  return Buffer.from(`${cursor.timeMs}.${cursor.id}`).toString('base64url');
}

/** Reads a cursor; undefined for the first page. */
export function cursorArgument(text: string): Cursor | undefined {
  if (text === '') return undefined;
  const [time = '', id = ''] = Buffer.from(text.slice(0, 200), 'base64url').toString('utf8').split('.');
  if (!/^\d{1,16}$/.test(time) || !isUuid(id)) throw new RpcError('invalid_argument', 'cursor: not one of ours');
  return { timeMs: Number(time), id };
}
