import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** The condition, for the error message. */
  what: string;
  timeoutMs: number;
  intervalMs?: number;
}

/**
 * Polls until a condition holds.
 *
 * @param condition resolves to true when done; throws if waiting is pointless
 * @throws Error after the timeout
 */
export async function waitUntil(condition: () => Promise<boolean> | boolean, options: WaitOptions): Promise<void> {
  const deadline = Date.now() + options.timeoutMs;
  while (!(await condition())) {
    if (Date.now() >= deadline) throw new Error(`${options.what}: not within ${options.timeoutMs / 1_000} s`);
    await delay(options.intervalMs ?? 50);
  }
}
