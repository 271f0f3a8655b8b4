import { minBigInt } from '@tollgate/common/money';
import { count, Violation } from '../support/violation.ts';
import type { Clients } from './clients.ts';
import { type Caps, startOfDay } from './invariants.ts';
import { ACCOUNTS, INGRESSES } from './steps.ts';
import type { LedgerView } from './view.ts';
import type { World } from './world.ts';

/**
 * The full rest of an account can be held in one request, by each ingress in turn and with any key: idle credit of one is
 * recalled for the other. Call it when there is no fault and nothing is open.
 *
 * @throws Violation if it cannot
 */
export async function probe(world: World, clients: Clients, view: LedgerView, caps: Caps): Promise<void> {
  const open = [...view.sessions.values()].filter(({ state }) => state !== 'closed');
  // Sessions that no ingress uses any more, as after a failover, keep their credit until they expire.
  if (open.length > INGRESSES) return;
  for (let account = 0; account < ACCOUNTS; account += 1) {
    const balance = view.balances.get(clients.account(account).id);
    if (balance === undefined || balance.owed > 0n) continue;
    const total = balance.available + balance.leased;
    for (const capped of [false, true]) {
      const room = capped ? await capRoom(world, clients.account(account).cappedKey, caps) : total;
      const max = minBigInt(room, total);
      for (let index = 0; index < INGRESSES && max > 0n; index += 1) {
        await probeOne(world, clients, { index, account, max, capped });
      }
    }
  }
}

async function probeOne(
  world: World,
  clients: Clients,
  { index, account, max, capped }: { index: number; account: number; max: bigint; capped: boolean },
): Promise<void> {
  const request = clients.ask(index, account, { max, min: max, capped });
  await world.until(() => request?.state !== 'waiting', 50, 5_000);
  if (request?.state !== 'open') {
    throw new Violation(`nothing is open, but ${max} cannot be held: ${request?.response ?? 'no response'}`);
  }
  count(world.counts, 'probe');
  clients.release(request);
  await world.settle();
}

/** What a key may still spend. */
async function capRoom(world: World, keyId: string, { dayNanos, totalNanos }: Caps): Promise<bigint> {
  const { rows } = await world.database.observer.query<{ day: bigint; total: bigint }>(
    `SELECT coalesce(sum(charged_nanos) FILTER (WHERE started_at_ms >= $2), 0)::bigint AS day,
            coalesce(sum(charged_nanos), 0)::bigint AS total
     FROM ledger.charges WHERE key_id = $1`,
    [keyId, startOfDay(world.nowMs)],
  );
  const [spent = { day: 0n, total: 0n }] = rows;
  const [day, total] = [dayNanos - spent.day, totalNanos - spent.total];
  return minBigInt(day, total);
}
