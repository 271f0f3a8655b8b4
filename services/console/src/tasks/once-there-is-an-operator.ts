import { setTimeout as delay } from 'node:timers/promises';
import { failedWith } from '@tollgate/common/errors';

const WITHIN_MS = 60_000;
const RETRY_MS = 500;

/**
 * Makes a call of the first operator, and makes it again while there is none: right after an installation, the console creates
 * the operator once auth responds.
 */
export async function onceThereIsAnOperator<T>(
  call: () => Promise<T>,
  { withinMs = WITHIN_MS, retryMs = RETRY_MS } = {},
): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!failedWith(error, 'not_found') || performance.now() > until) throw error;
    }
    await delay(retryMs);
  }
}
