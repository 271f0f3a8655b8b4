import { isUuid } from '@tollgate/common/ids';
import type { PageQuery } from '@tollgate/proto/console/queries';
import { apiErrors } from '../http/api-error.ts';
import { required } from '../required.ts';

/** The page of a merged list: after an id, which is empty for the first page. */
export function readPageQuery(page: PageQuery | undefined): { after: string; limit: number } {
  const { cursor, limit } = required(page);
  if (cursor !== '' && !isUuid(cursor)) throw apiErrors.invalid('cursor', 'must be next_cursor of the previous page');
  return { after: cursor.toLowerCase(), limit };
}
