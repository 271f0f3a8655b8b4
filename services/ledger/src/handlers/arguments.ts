import { RpcError } from '@tollgate/common/errors';
import { uuidArgument } from '@tollgate/common/grpc/arguments';
import { isUuid, timeOfId } from '@tollgate/common/ids';
import type { Cursor } from '../store/time.ts';

/** Of a deposit, as accounts see it. */
export const MAX_REASON_LENGTH = 500;

/** Several different UUIDs, in lower case. */
export function uuidsArgument(name: string, values: readonly string[], min: number, max: number): string[] {
  if (values.length < min || values.length > max) {
    throw new RpcError('invalid_argument', `${name}: must have ${min} to ${max} ids`);
  }
  return [...new Set(values.map((value, index) => uuidArgument(`${name}[${index}]`, value)))];
}

const TRACE_ID = /^[0-9a-f]{32}$/;

type Lookup = { $case: 'requestId'; value: string } | { $case: 'traceId'; value: string } | undefined;

/** What a request is looked up by. */
export function lookupArgument(by: Lookup): { by: 'request_id' | 'trace_id'; id: string } {
  switch (by?.$case) {
    case 'requestId':
      return { by: 'request_id', id: uuidArgument('request_id', by.value) };
    case 'traceId':
      if (!TRACE_ID.test(by.value))
        throw new RpcError('invalid_argument', 'trace_id: must be 32 lower-case hex digits');
      return { by: 'trace_id', id: by.value };
    case undefined:
      throw new RpcError('invalid_argument', 'request_id or trace_id: one is required');
    default:
      return by satisfies never;
  }
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

/**
 * Parses the cursor of a list of requests: a request id, after which older ones follow. Cursors of the form that earlier
 * versions returned are accepted too.
 */
export function requestCursorArgument(text: string): Cursor | undefined {
  return isUuid(text) ? { timeMs: timeOfId(text), id: text.toLowerCase() } : cursorArgument(text);
}
