import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { isRoot } from '../processes/users.ts';

/** Root's data: Postgres then runs as another user, who may lack access to the checkout. */
const FOLDER_OF_ROOT = '/var/lib/tollgate';

/**
 * The folder for data and logs: as configured, else `.tollgate` in the checkout, or for root a folder outside of it.
 */
export function dataFolder(requested: string | undefined, checkout: string, root = isRoot()): string {
  if (requested !== undefined && requested !== '') return resolve(requested);
  const own = join(checkout, '.tollgate');
  if (!root) return own;
  return join(FOLDER_OF_ROOT, createHash('sha256').update(resolve(own)).digest('hex').slice(0, 12));
}
