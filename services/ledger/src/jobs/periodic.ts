import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tollgate/common/logging';

export interface Periodic {
  /** Starts no further round and waits for one that runs. */
  stop: () => Promise<void>;
}

/**
 * Runs a task again and again, `intervalMs` after it ended. A round that fails is logged and the next one comes in its
 * time.
 *
 * @param task given a signal that aborts when it is to stop
 * @param settled told whether each round succeeded
 */
export function runPeriodically(
  name: string,
  intervalMs: number,
  logger: Logger,
  task: (signal: AbortSignal) => Promise<unknown>,
  settled: (succeeded: boolean) => void = () => undefined,
): Periodic {
  const stopping = new AbortController();
  const loop = async () => {
    while (await waited(intervalMs, stopping.signal)) {
      try {
        await task(stopping.signal);
        settled(true);
      } catch (error) {
        logger.error({ err: error, task: name }, 'a periodic task failed');
        settled(false);
      }
    }
  };
  const running = loop();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

/** Waits; false when the signal aborted. */
function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal }).catch(() => false);
}
