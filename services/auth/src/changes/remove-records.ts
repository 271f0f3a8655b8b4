import { messageOf } from '@tollgate/common/errors';
import type { KeyCache } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { AccountRow } from '../store/accounts.ts';
import { listLiveKeys } from '../store/key-lists.ts';
import { valuesOf } from '../store/keys.ts';

type Needed = { pool: Pool; cache: KeyCache; logger: Logger };

/** Keys whose records are removed in one step. */
const PAGE_SIZE = 500;

/** Removes the cached records of keys of one account that have changed, so that the next request reads the database. */
export async function removeRecords(deps: Needed, accountTag: string, values: readonly Buffer[]): Promise<void> {
  await tryRedis(deps, accountTag, () => remove(deps, accountTag, values));
}

/** Removes the cached records of all keys of an account that has changed, page by page. */
export async function removeRecordsOfAccount(
  deps: Needed,
  { account_id: accountId, tag }: Pick<AccountRow, 'account_id' | 'tag'>,
): Promise<void> {
  let after: string | undefined;
  do {
    const page = await listLiveKeys(deps.pool, accountId, after, PAGE_SIZE);
    const values = page.flatMap(valuesOf);
    if (!(await tryRedis(deps, tag, () => remove(deps, tag, values)))) return;
    after = page.length < PAGE_SIZE ? undefined : page.at(-1)?.key_id;
  } while (after !== undefined);
}

function remove({ cache }: Needed, tag: string, values: readonly Buffer[]): Promise<void> {
  return cache.remove(
    tag,
    values.map((value) => value.toString('hex')),
  );
}

/**
 * Failures are ignored: a change is safe without Redis, because no ingress uses a record that is older than a change it
 * knows. Removing records only saves calls to auth.
 *
 * @returns whether Redis responded
 */
async function tryRedis({ logger }: Needed, tag: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    logger.warn(
      { account_tag: tag, reason: messageOf(error) },
      'cached records of changed keys were left in Redis, where ingresses ignore them',
    );
    return false;
  }
}
