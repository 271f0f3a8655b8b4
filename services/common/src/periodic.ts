import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logging.ts';

export interface Periodic {
  /** Starts no further run and waits for the current one. */
  stop: () => Promise<void>;
}

/**
 * Runs a task repeatedly, `intervalMs` after it ended. A failed run is logged, and the next one follows as usual.
 *
 * @param task gets a signal that aborts when it must stop
 * @param settled called with whether a run succeeded
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
