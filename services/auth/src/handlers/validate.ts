import { Refusal } from '@tollgate/common/errors';
import { isUuid } from '@tollgate/common/ids';
import type { SpendingCaps } from '@tollgate/proto/auth';
import { type CapColumns, capColumns } from '../store/spending-caps.ts';

const DEFAULT_PAGE = 100;
const LARGEST_PAGE = 1_000;
/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999n;

/** A text that must be there: 1 to `most` characters, not only spaces, no control characters. */
export function requireText(field: string, value: string, most: number): string {
  if (value.trim() === '' || value.length > most || hasControl(value)) {
    throw new Refusal('invalid_argument', `${field} must be 1 to ${most} characters without control characters`);
  }
  return value;
}

/** A text that may be empty. */
export function optionalText(field: string, value: string, most: number): string {
  return value === '' ? '' : requireText(field, value, most);
}

export function requireUuid(field: string, value: string): string {
  if (!isUuid(value)) throw new Refusal('invalid_argument', `${field} must be a UUID`);
  return value.toLowerCase();
}

/** Spending caps, none of them below 0. */
export function requireCaps(field: string, caps: SpendingCaps | undefined): CapColumns {
  const columns = capColumns(caps);
  for (const [name, nanos] of Object.entries(caps ?? {})) {
    if (nanos !== undefined && nanos < 0n)
      throw new Refusal('invalid_argument', `${field}.${name} must not be below 0`);
  }
  return columns;
}

/** A UUID or undefined for an empty text. */
export function optionalUuid(field: string, value: string): string | undefined {
  return value === '' ? undefined : requireUuid(field, value);
}

/** How many rows a page has: 1 to 1,000; 0 means 100. */
export function pageSize(value: number): number {
  if (value === 0) return DEFAULT_PAGE;
  if (value < 1 || value > LARGEST_PAGE) throw new Refusal('invalid_argument', 'page_size must be 0 to 1000');
  return value;
}

/** A time after now, or null for 0. */
export function optionalFutureTime(field: string, valueMs: bigint, nowMs: number): Date | null {
  if (valueMs === 0n) return null;
  if (valueMs <= BigInt(nowMs) || valueMs > LAST_TIME_MS) {
    throw new Refusal('invalid_argument', `${field} must lie in the future`);
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
