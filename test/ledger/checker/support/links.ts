import { DatabaseLink } from './faulty-pool.ts';

/** Ways to the database that wait for their next ledger: opening a connection costs more than most steps of a history. */
const spare: DatabaseLink[] = [];

/** A way to the database for a new ledger. */
export function takeLink(url: string, nowMs: () => number): DatabaseLink {
  return spare.pop() ?? new DatabaseLink(url, nowMs);
}

/** Keeps a way for the next ledger, where nothing of this one is in progress on it. @returns whether it is kept */
export function keepLink(link: DatabaseLink): boolean {
  if (!link.idle) return false;
  link.failNothing();
  spare.push(link);
  return true;
}

/** Closes all connections that are kept. */
export async function closeLinks(): Promise<void> {
  for (const link of spare.splice(0)) await link.pool.end();
}
