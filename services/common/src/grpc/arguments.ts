import { RpcError } from '../errors.ts';
import { isUuid } from '../ids.ts';

/** A UUID argument, in lower case. */
export function uuidArgument(name: string, value: string): string {
  if (!isUuid(value)) throw new RpcError('invalid_argument', `${name}: must be a UUID`);
  return value.toLowerCase();
}

/** A UUID argument; undefined for an empty text. */
export function optionalUuidArgument(name: string, value: string): string | undefined {
  return value === '' ? undefined : uuidArgument(name, value);
}

/** A text argument of 1 to `maxLength` characters. */
export function textArgument(name: string, value: string, maxLength: number): string {
  if (value.length < 1 || value.length > maxLength) {
    throw new RpcError('invalid_argument', `${name}: must have 1 to ${maxLength} characters`);
  }
  if (value.includes('\0')) throw new RpcError('invalid_argument', `${name}: must not contain a NUL character`);
  return value;
}

/** As textArgument; undefined for an empty text. */
export function optionalTextArgument(name: string, value: string, maxLength: number): string | undefined {
  return value === '' ? undefined : textArgument(name, value, maxLength);
}

/** A page size of 1 to `max`. */
export function limitArgument(value: number, max: number): number {
  if (value < 1 || value > max) throw new RpcError('invalid_argument', `limit: must be 1 to ${max}`);
  return value;
}

/** The maximum of a JavaScript Date. */
const MAX_TIME_MS = 8_640_000_000_000_000n;

/** A time range, start inclusive, end exclusive, Unix milliseconds. */
export function rangeArgument(startMs: bigint, endMs: bigint): { startMs: number; endMs: number } {
  if (startMs < 0n || startMs > MAX_TIME_MS) throw new RpcError('invalid_argument', 'start_ms: out of range');
  if (endMs < 0n || endMs > MAX_TIME_MS) throw new RpcError('invalid_argument', 'end_ms: out of range');
  if (startMs >= endMs) throw new RpcError('invalid_argument', 'end_ms: must be after start_ms');
  return { startMs: Number(startMs), endMs: Number(endMs) };
}
