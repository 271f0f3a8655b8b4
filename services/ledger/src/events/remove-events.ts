import type { Pool } from '@tollgate/common/postgres/pool';
import { DAY_MS } from '../request-time.ts';
import { removeEndedEvents } from '../store/remove-ended-events.ts';

const KEPT = [
  { givenUp: false, keepMs: 7 * DAY_MS },
  { givenUp: true, keepMs: 90 * DAY_MS },
] as const;

const AT_ONCE = 1_000;

/** Removes events that were delivered, or had nowhere to go, a week ago, and those given up three months ago. */
export async function removeOldEvents(pool: Pool): Promise<void> {
  for (const which of KEPT) {
    let removed: number;
    do removed = await removeEndedEvents(pool, which, AT_ONCE);
    while (removed === AT_ONCE);
  }
}
