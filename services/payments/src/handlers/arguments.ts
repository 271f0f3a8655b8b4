import { RpcError } from '@tollgate/common/errors';
import { isUuid } from '@tollgate/common/ids';
import { centsOf } from '../money.ts';

export const MAX_KEY_LENGTH = 200;
export const MAX_REASON_LENGTH = 500;

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
