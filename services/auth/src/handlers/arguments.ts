import { hasControl } from '@tollgate/common/descriptors/check';
import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;
/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999n;

/** A text of 1 to `max` characters, not only spaces, without control characters. */
export function plainTextArgument(field: string, value: string, max: number): string {
  if (value.trim() === '' || value.length > max || hasControl(value)) {
    throw new RpcError(
      'invalid_argument',
      `${field}: must have 1 to ${max} characters, not only spaces, without control characters`,
    );
  }
  return value;
}

/** A text that may be empty. */
export function optionalTextArgument(field: string, value: string, max: number): string {
  return value === '' ? '' : plainTextArgument(field, value, max);
}

/** Ids of rows, at most as many as a page has. */
export function uuidListArgument(field: string, ids: readonly string[]): string[] {
  if (ids.length > MAX_PAGE_SIZE) throw new RpcError('invalid_argument', `${field}: at most ${MAX_PAGE_SIZE}`);
  return ids.map((id, index) => uuidArgument(`${field}[${index}]`, id));
}

/** What names of a list are searched for; undefined: everything. */
export function searchArgument(value: string | undefined): string | undefined {
  return value === undefined ? undefined : plainTextArgument('text', value, 200);
}

/** The SHA-256 of a key or a secret. */
export function sha256Argument(field: string, value: Buffer): Buffer {
  if (value.length !== 32) throw new RpcError('invalid_argument', `${field}: must have 32 bytes`);
  return value;
}

/** How many rows a page has; 0 asks for the default. */
export function pageSizeArgument(value: number): number {
  if (value === 0) return DEFAULT_PAGE_SIZE;
  if (value < 1 || value > MAX_PAGE_SIZE)
    throw new RpcError('invalid_argument', `page_size: must be 0 to ${MAX_PAGE_SIZE}`);
  return value;
}

/** A time since 1970, in Unix milliseconds. */
export function timeArgument(field: string, valueMs: bigint): Date {
  if (valueMs < 0n || valueMs > LAST_TIME_MS) {
    throw new RpcError('invalid_argument', `${field}: must be a time in Unix milliseconds`);
  }
  return new Date(Number(valueMs));
}
