import { collectWhenIdle } from './garbage-collection.ts';
import { createLogger, type Logger } from './logging.ts';

/**
 * Runs a service or a task: reads its configuration, creates its logger and calls `main`. A start that fails, also for a
 * bad setting, is logged in one line and ends the process with status 1. An unexpected error after the start is logged
 * and ends the process too, because its state can no longer be trusted. Once started, it keeps little memory while idle.
 *
 * @param service the name in each line of the log
 * @param readConfig reads the settings; throws ConfigError
 */
export function runMain<C extends { LOG_LEVEL: string }>(
  service: string,
  readConfig: (env: NodeJS.ProcessEnv) => C,
  main: (config: C, logger: Logger) => Promise<void>,
): void {
  // Until the configuration is read, the level of the log is not known.
  let logger = createLogger(service, 'info');
  const fail = (message: string) => (error: unknown) => {
    logger.fatal({ err: error }, message);
    process.exit(1);
  };
  process.on('uncaughtException', fail('uncaught exception'));
  process.on('unhandledRejection', fail('unhandled rejection'));
  const start = async () => {
    const config = readConfig(process.env);
    logger = createLogger(service, config.LOG_LEVEL);
    await main(config, logger);
    collectWhenIdle();
  };
  start().catch(fail('start failed'));
}
