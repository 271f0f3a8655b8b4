import { isUuid } from '@tollgate/common/ids';
import { apiErrors } from '../http/api-error.ts';

/** The id after which a merged list continues; empty for its first page. */
export function readCursor(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  if (!isUuid(cursor)) throw apiErrors.invalid('cursor', 'must be next_cursor of the previous page');
  return cursor.toLowerCase();
}
