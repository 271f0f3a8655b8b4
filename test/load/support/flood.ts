import { Worker } from 'node:worker_threads';
import type { Target } from './raw-connection.ts';

export interface FloodOrder {
  target: Target;
  /** Keys presented in all, each another one. */
  keys: number;
  connections: number;
  /** Keys presented in a second at most. */
  perSecond: number;
  /** The flood ends after this time at the latest. */
  endMs: number;
}

export interface FloodResult {
  sent: number;
  /** How many answers had each status; `failed`: those that there were none of. */
  statuses: Record<string, number>;
  tookMs: number;
}

/** Presents made-up keys as fast as they are answered and may come, half of them well-formed, from a thread of its own. */
export function flood(order: FloodOrder): Promise<FloodResult> {
  const worker = new Worker(new URL('./flood-worker.ts', import.meta.url), { workerData: order });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the flood ended with code ${code}`)));
  });
}
