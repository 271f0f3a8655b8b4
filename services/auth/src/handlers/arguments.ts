import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import type { RateLimits, SpendingCaps } from '@tollgate/proto/auth';
import { type CapColumns, capColumns, type LimitColumns, limitColumns } from '../store/columns.ts';

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;
/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999n;
const MAX_MODELS = 200;
const MAX_TAGS = 16;
const TAG_NAME = /^[A-Za-z][A-Za-z0-9._/:-]{0,63}$/;
const MAX_TAG_VALUE = 256;
const MAX_PER_MINUTE = 1_000_000_000;
const MAX_OPEN = 1_000_000;

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

/** Spending caps; none may be negative. */
export function capsArgument(field: string, caps: SpendingCaps | undefined): CapColumns {
  const named = { day_nanos: caps?.dayNanos, month_nanos: caps?.monthNanos, total_nanos: caps?.totalNanos };
  for (const [name, nanos] of Object.entries(named)) {
    if (nanos !== undefined && nanos < 0n)
      throw new RpcError('invalid_argument', `${field}.${name}: must not be negative`);
  }
  return capColumns(caps);
}

/** Rate limits, each at least 1. */
export function limitsArgument(field: string, limits: RateLimits | undefined): LimitColumns {
  const named: [string, bigint | number | undefined, number][] = [
    ['requests_per_minute', limits?.requestsPerMinute, MAX_PER_MINUTE],
    ['tokens_per_minute', limits?.tokensPerMinute, MAX_PER_MINUTE],
    ['open_requests', limits?.openRequests, MAX_OPEN],
  ];
  for (const [name, value, max] of named) {
    if (value !== undefined && (value < 1 || value > max))
      throw new RpcError('invalid_argument', `${field}.${name}: must be 1 to ${max}`);
  }
  return limitColumns(limits);
}

/** Ids of the models that a key may call. */
export function modelsArgument(field: string, ids: readonly string[]): string[] {
  if (ids.length > MAX_MODELS) {
    throw new RpcError('invalid_argument', `${field}: at most ${MAX_MODELS} models`);
  }
  return ids.map((id, index) => plainTextArgument(`${field}[${index}]`, id, 200));
}

/** Tags of a key. */
export function tagsArgument(field: string, tags: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(tags);
  if (entries.length > MAX_TAGS) throw new RpcError('invalid_argument', `${field}: at most ${MAX_TAGS} tags`);
  for (const [name, value] of entries) {
    if (!TAG_NAME.test(name)) {
      throw new RpcError(
        'invalid_argument',
        `${field}: a name must have 1 to 64 letters, digits and . _ - / : and begin with a letter`,
      );
    }
    if (value.length > MAX_TAG_VALUE || hasControl(value)) {
      throw new RpcError(
        'invalid_argument',
        `${field}.${name}: must have at most ${MAX_TAG_VALUE} characters, without control characters`,
      );
    }
  }
  return Object.fromEntries(entries);
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

/** A time in the future, Unix milliseconds; null for 0. */
export function futureTimeArgument(field: string, valueMs: bigint, nowMs: number): Date | null {
  if (valueMs === 0n) return null;
  if (valueMs <= BigInt(nowMs) || valueMs > LAST_TIME_MS) {
    throw new RpcError('invalid_argument', `${field}: must be in the future`);
  }
  return new Date(Number(valueMs));
}

/** A time since 1970, in Unix milliseconds. */
export function timeArgument(field: string, valueMs: bigint): Date {
  if (valueMs < 0n || valueMs > LAST_TIME_MS) {
    throw new RpcError('invalid_argument', `${field}: must be a time in Unix milliseconds`);
  }
  return new Date(Number(valueMs));
}

function hasControl(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
