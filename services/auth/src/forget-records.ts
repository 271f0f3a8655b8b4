import { messageOf } from '@tollgate/common/errors';
import type { Dependencies } from './dependencies.ts';
import { findAccount } from './store/find-account.ts';
import { listLiveKeys } from './store/list-live-keys.ts';

type Needed = Pick<Dependencies, 'pool' | 'cache' | 'logger'>;

/** Keys forgotten at a time. */
const PAGE = 500;

/**
 * Takes the cached record of a key that has changed away, so that the next request reads it anew. Without Redis the
 * change stands all the same: an old record lives a minute at most.
 */
export async function forgetKey(deps: Needed, key: { account_id: string; key_sha256: Buffer }): Promise<void> {
  const account = await findAccount(deps.pool, key.account_id);
  if (account === undefined) throw new Error('a key has no account');
  await forget(deps, account.tag, [key.key_sha256]);
}

/** Takes the cached records of all keys of an account that has changed away, some at a time. */
export async function forgetKeysOf(deps: Needed, account: { account_id: string; tag: string }): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const page = await listLiveKeys(deps.pool, account.account_id, after, PAGE);
    const reached = await forget(
      deps,
      account.tag,
      page.map((key) => key.key_sha256),
    );
    if (!reached || page.length < PAGE) return;
    after = page.at(-1)?.key_id;
  }
}

/** @returns whether Redis answered */
async function forget({ cache, logger }: Needed, tag: string, hashes: readonly Buffer[]): Promise<boolean> {
  try {
    await cache.forget(
      tag,
      hashes.map((hash) => hash.toString('hex')),
    );
    return true;
  } catch (error) {
    logger.warn(
      { account_tag: tag, reason: messageOf(error) },
      'cached records may be out of date for a minute, as Redis did not answer',
    );
    return false;
  }
}
