import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for, as it is reported when the time is over. */
  what: string;
  timeoutMs: number;
  intervalMs?: number;
}

/**
 * Polls until the condition holds.
 *
 * @param ask resolves to true when done; throws when waiting longer is pointless
 * @throws Error when the time is over
 */
export async function waitUntil(ask: () => Promise<boolean> | boolean, options: WaitOptions): Promise<void> {
  const deadline = Date.now() + options.timeoutMs;
  while (!(await ask())) {
    if (Date.now() >= deadline) throw new Error(`${options.what}: not within ${options.timeoutMs / 1_000} s`);
    await delay(options.intervalMs ?? 50);
  }
}
