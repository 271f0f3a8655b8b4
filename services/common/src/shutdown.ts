import type { Logger } from './logging.ts';

/** One step of stopping, such as closing a server or a pool. */
export interface ShutdownStep {
  name: string;
  run: () => Promise<void> | void;
}

/**
 * Stops a process in order on SIGTERM or SIGINT: step by step, within the grace period. A failing step is logged, and the
 * next one runs. A second signal exits at once. By hand because libraries for this stop HTTP servers only.
 *
 * @param steps in order: stop accepting, finish open work, flush, close
 */
export function stopOnSignal(logger: Logger, graceMs: number, steps: ShutdownStep[]): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) {
      logger.warn({ signal }, 'second signal, exiting at once');
      process.exit(1);
    }
    stopping = true;
    logger.info({ signal, grace_ms: graceMs }, 'stopping');
    setTimeout(() => {
      logger.error('not stopped within the grace period, exiting');
      process.exit(1);
    }, graceMs).unref();
    runSteps(logger, steps).then(
      (clean) => process.exit(clean ? 0 : 1),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

async function runSteps(logger: Logger, steps: ShutdownStep[]): Promise<boolean> {
  let clean = true;
  for (const step of steps) {
    try {
      await step.run();
      logger.debug({ step: step.name }, 'stopped');
    } catch (error) {
      clean = false;
      logger.error({ step: step.name, err: error }, 'a step of stopping failed');
    }
  }
  logger.info('stopped');
  return clean;
}
