import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { newAccountTag, newKey } from '@tollgate/common/keys/index';
import type { FloodOrder, FloodResult } from './flood.ts';
import { RawConnection } from './raw-connection.ts';

/** An unknown key, alternately well-formed and with a wrong checksum. */
function madeUpKey(index: number): string {
  const { text } = newKey('tollgate', newAccountTag());
  if (index % 2 === 0) return text;
  return `${text.slice(0, -1)}${text.endsWith('a') ? 'b' : 'a'}`;
}

async function flood({ target, keys, connections, perSecond, endMs }: FloodOrder): Promise<FloodResult> {
  const startedAt = performance.now();
  const statuses: Record<string, number> = {};
  let sent = 0;
  const present = async () => {
    const connection = new RawConnection(target);
    while (sent < keys && performance.now() - startedAt < endMs) {
      const key = madeUpKey(sent);
      const dueMs = (sent / perSecond) * 1_000;
      sent += 1;
      const earlyMs = dueMs - (performance.now() - startedAt);
      if (earlyMs > 0) await delay(earlyMs);
      const outcome = await connection.ask(key).then(String, () => 'failed');
      statuses[outcome] = (statuses[outcome] ?? 0) + 1;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, present));
  return { sent, statuses, tookMs: performance.now() - startedAt };
}

const order: FloodOrder = workerData;
parentPort?.postMessage(await flood(order));
