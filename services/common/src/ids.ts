import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

let lastMs = 0;
let sequence = 0;

/**
 * A UUIDv7 (RFC 9562), which begins with its time in milliseconds, so that ids sort by creation. Within one process and
 * millisecond they are counted from a random start (section 6.2, method 1). A clock that is set back takes the ids with it.
 */
export function newId(): string {
  const at = takeRandom(16);
  const nowMs = Date.now();
  // 31 random bits of 32 leave room to count.
  sequence = nowMs === lastMs ? sequence + 1 : pool.readUInt32LE(at) >>> 1;
  lastMs = nowMs;
  return v7({ random: pool.subarray(at, at + 16), msecs: nowMs, seq: sequence });
}

/** 24 random hex digits, for ids in the style of those in provider responses. */
export function newToken(): string {
  return randomHex(12);
}

const POOL_BYTES = 8_192;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let poolUsed = POOL_BYTES;

/** Takes random bytes from the pool, because each call to the system costs microseconds. No byte is taken twice. */
function takeRandom(count: number): number {
  if (poolUsed + count > POOL_BYTES) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  poolUsed += count;
  return poolUsed - count;
}

function randomHex(bytes: number): string {
  const at = takeRandom(bytes);
  return pool.toString('hex', at, at + bytes);
}

/** The creation time inside a UUIDv7, in Unix milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The smallest UUIDv7 of a time: ids generated at `unixMs` or later are not below it, earlier ones are. */
export function idFloor(unixMs: number): string {
  const hex = Math.max(0, Math.floor(unixMs)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID in its usual dashed form, of any version. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A new trace id: 32 hex digits that form a valid UUIDv4 once dashed. */
export function newTraceId(): string {
  const at = takeRandom(16);
  pool[at + 6] = 0x40 | (pool.readUInt8(at + 6) & 0x0f);
  pool[at + 8] = 0x80 | (pool.readUInt8(at + 8) & 0x3f);
  return pool.toString('hex', at, at + 16);
}

/** The dashed form of a trace id, as shown in `x-trace-id`, or of other 32 hex digits. */
export function dashTraceId(traceId: string): string {
  return `${traceId.slice(0, 8)}-${traceId.slice(8, 12)}-${traceId.slice(12, 16)}-${traceId.slice(16, 20)}-${traceId.slice(20)}`;
}

/** A new span id: 16 hex digits. */
export function newSpanId(): string {
  return randomHex(8);
}

/** Before every id: a list continues after it from its beginning. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
