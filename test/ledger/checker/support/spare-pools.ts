import { FaultyPool } from './faulty-pool.ts';

/** Open pools for the next ledgers: opening a connection costs more than most steps of a history. */
const spare: FaultyPool[] = [];

/** A pool for a new ledger. */
export function takePool(url: string, nowMs: () => number): FaultyPool {
  return spare.pop() ?? new FaultyPool(url, nowMs);
}

/** Keeps an idle pool for the next ledger. @returns whether it is kept */
export function returnPool(pool: FaultyPool): boolean {
  if (!pool.idle) return false;
  pool.cancelFault();
  spare.push(pool);
  return true;
}

/** Closes all kept pools. */
export async function closePools(): Promise<void> {
  for (const pool of spare.splice(0)) await pool.pool.end();
}
