import { messageOf } from '@tollgate/common/errors';
import type { Dependencies } from './dependencies.ts';
import type { AccountRow } from './store/account.ts';
import { valuesOf } from './store/api-key.ts';
import { listLiveKeys } from './store/list-live-keys.ts';

type Needed = Pick<Dependencies, 'pool' | 'cache' | 'logger'>;

/** Keys forgotten at a time. */
const PAGE = 500;

/** Puts tombstones in the place of values of keys of one account that are dead for good. */
export async function buryValues(deps: Needed, accountTag: string, values: readonly Buffer[]): Promise<void> {
  await unlessUnreachable(deps, accountTag, async () => {
    for (const value of values) await deps.cache.bury(accountTag, value.toString('hex'));
  });
}

/** Takes the cached records of keys of one account that have changed away, so that the next request reads them anew. */
export async function forgetValues(deps: Needed, accountTag: string, values: readonly Buffer[]): Promise<void> {
  await unlessUnreachable(deps, accountTag, () => forget(deps, accountTag, values));
}

/** Takes the cached records of all keys of an account that has changed away, some at a time. */
export async function forgetAccount(
  deps: Needed,
  { account_id: accountId, tag }: Pick<AccountRow, 'account_id' | 'tag'>,
): Promise<void> {
  let after: string | undefined;
  do {
    const page = await listLiveKeys(deps.pool, accountId, after, PAGE);
    const values = page.flatMap(valuesOf);
    if (!(await unlessUnreachable(deps, tag, () => forget(deps, tag, values)))) return;
    after = page.length < PAGE ? undefined : page.at(-1)?.key_id;
  } while (after !== undefined);
}

function forget({ cache }: Needed, tag: string, values: readonly Buffer[]): Promise<void> {
  return cache.forget(
    tag,
    values.map((value) => value.toString('hex')),
  );
}

/**
 * Without Redis a change stands and is as safe: ingresses have been told not to believe older records. The cache only
 * spares them a question to auth.
 *
 * @returns whether Redis answered
 */
async function unlessUnreachable({ logger }: Needed, tag: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    logger.warn(
      { account_tag: tag, reason: messageOf(error) },
      'cached records of changed keys were left in Redis, where no ingress believes them',
    );
    return false;
  }
}
