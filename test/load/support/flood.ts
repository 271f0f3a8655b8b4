import { Worker } from 'node:worker_threads';
import type { Target } from './raw-connection.ts';

export interface FloodOrder {
  target: Target;
  /** Number of keys, all different. */
  keys: number;
  connections: number;
  /** Maximum keys per second. */
  perSecond: number;
  /** Time limit of the flood. */
  endMs: number;
}

export interface FloodResult {
  sent: number;
  /** Responses by status; `failed`: none received. */
  statuses: Record<string, number>;
  tookMs: number;
}

/** Sends unknown keys as fast as they are rejected, half of them well-formed, from its own thread. */
export function flood(order: FloodOrder): Promise<FloodResult> {
  const worker = new Worker(new URL('./flood-worker.ts', import.meta.url), { workerData: order });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the flood ended with code ${code}`)));
  });
}
