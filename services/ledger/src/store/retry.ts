import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '@tollgate/common/errors';

/** Messages of the Postgres client for lost or failed connections, which have no code. */
const CONNECTION_LOST =
  /connection terminated|timeout exceeded when trying to connect|not queryable|read timeout|^SASL/i;

/** The SQLSTATE of a violated check, and of a row without a partition. */
const CHECK_VIOLATION = '23514';

/** The SQLSTATE or system code of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Whether an error is caused by the database or the connection to it, not by the data or our code. The same work may succeed
 * once the cause is fixed: a restart, a full disk, a wrong password, a missing table.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof RpcError || error instanceof TypeError || error instanceof RangeError) return false;
  if (codeOf(error) !== undefined) return !isDataError(error);
  return error instanceof Error && CONNECTION_LOST.test(error.message);
}

/** Whether a database error is caused by the data (SQLSTATE classes 22 and 23), so that a retry cannot help. */
export function isDataError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && /^2[23]...$/.test(code) && !isMissingPartition(error);
}

/** Whether a row was rejected because its month has no partition: Postgres then names no constraint. */
export function isMissingPartition(error: unknown): boolean {
  if (codeOf(error) !== CHECK_VIOLATION || !(error instanceof Error)) return false;
  return !('constraint' in error) || error.constraint === undefined;
}

export interface RetryOptions {
  /** Total attempts. */
  attempts: number;
  /** Delay before the second attempt. It doubles with each attempt, up to a second; up to half is subtracted at random. */
  firstDelayMs: number;
  /** Ends the retries. */
  signal?: AbortSignal;
  random?: () => number;
}

const MAX_DELAY_MS = 1_000;

/** About two seconds of attempts: longer than most failovers behind a proxy, shorter than the timeout of callers. */
export const DEFAULT_RETRY: RetryOptions = { attempts: 8, firstDelayMs: 25 };

/** Runs idempotent work, with retries while the database fails. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions = DEFAULT_RETRY): Promise<T> {
  const random = options.random ?? Math.random;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= options.attempts || !isOutage(error) || options.signal?.aborted) throw error;
      const pause = Math.min(options.firstDelayMs * 2 ** (attempt - 1), MAX_DELAY_MS);
      await delay(
        pause * (1 - random() / 2),
        undefined,
        options.signal === undefined ? {} : { signal: options.signal },
      );
    }
  }
}
