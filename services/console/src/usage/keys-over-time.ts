import type { UsageRow as ShownRow, UsageTotal } from '@tollgate/proto/console/accounts';
import type { UsageRow } from '@tollgate/proto/ledger';
import { showRow, subtract, sumBy } from './sums.ts';

/**
 * The usage of some keys over time, followed by the usage of all other keys together, in rows without a key.
 *
 * @param all of the whole account by interval, however grouped
 * @param named of the keys by interval. Read a moment later, it may contain a request more: others never get below zero.
 */
export function keysOverTime(all: readonly UsageRow[], named: readonly UsageRow[]): ShownRow[] {
  const namedByStart = sumBy(named, ({ startMs }) => startMs);
  const others = [...sumBy(all, ({ startMs }) => startMs)].map(([startMs, total]) => {
    const own = namedByStart.get(startMs);
    return {
      startMs,
      model: '',
      keyId: '',
      projectId: '',
      ownerId: '',
      total: own === undefined ? total : subtract(total, own),
    };
  });
  return [...named.map(showRow), ...others.filter(({ total }) => isSome(total))];
}

function isSome({ requests, tokens, costNanos }: UsageTotal): boolean {
  return requests > 0n || tokens > 0n || costNanos > 0n;
}
