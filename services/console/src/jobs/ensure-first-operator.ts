import { setTimeout as delay } from 'node:timers/promises';
import { Backoff } from '@tollgate/common/backoff';
import { unaryCall } from '@tollgate/common/grpc/client';
import type { Logger } from '@tollgate/common/logging';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { Passwords } from '../passwords/passwords.ts';

const CALL_MS = 10_000;
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;

export interface FirstOperatorOptions {
  auth: AuthServiceClient;
  passwords: Passwords;
  logger: Logger;
  config: { FIRST_OPERATOR_EMAIL?: string | undefined; FIRST_OPERATOR_PASSWORD?: string | undefined };
}

/** Creates the configured operator if there is none. Tries until auth responds or the signal aborts. */
export async function ensureFirstOperator(options: FirstOperatorOptions, signal: AbortSignal): Promise<void> {
  const { auth, passwords, logger, config } = options;
  const email = config.FIRST_OPERATOR_EMAIL;
  if (email === undefined) return;
  const password = config.FIRST_OPERATOR_PASSWORD;
  const backoff = new Backoff(MIN_RETRY_MS, MAX_RETRY_MS);
  while (!signal.aborted) {
    try {
      const passwordHash = password === undefined ? '' : await passwords.hash(password);
      const request = { email, passwordHash };
      const { created } = await unaryCall(auth.ensureFirstOperator.bind(auth), request, {
        deadlineMs: CALL_MS,
        signal,
      });
      if (created) logger.info('created the first operator');
      return;
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error }, 'the first operator could not be ensured; trying again');
      await delay(backoff.next(), undefined, { signal }).catch(() => undefined);
    }
  }
}
