import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '@tollgate/common/errors';

/** What the Postgres client says of a connection that it lost or could not get; it gives these no code. */
const CONNECTION_LOST =
  /connection terminated|timeout exceeded when trying to connect|not queryable|read timeout|^SASL/i;

/** The SQLSTATE of a violated check, and of a row that no partition takes. */
const CHECK_VIOLATION = '23514';

/** The SQLSTATE or system code of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Whether an error lies in the database or the way to it: in none of its rows, and not in our code either. The same work
 * may succeed once that is repaired, whatever it is: a restart, a full disk, a wrong password, a missing table.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof RpcError || error instanceof TypeError || error instanceof RangeError) return false;
  if (codeOf(error) !== undefined) return !isDataError(error);
  return error instanceof Error && CONNECTION_LOST.test(error.message);
}

/** Whether a database error lies in the data itself (SQLSTATE classes 22 and 23), so that trying again cannot help. */
export function isDataError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && /^2[23]...$/.test(code) && !isMissingPartition(error);
}

/** Whether a row could not be kept because its month has no partition: Postgres then names no constraint. */
export function isMissingPartition(error: unknown): boolean {
  if (codeOf(error) !== CHECK_VIOLATION || !(error instanceof Error)) return false;
  return !('constraint' in error) || error.constraint === undefined;
}

export interface RetryOptions {
  /** Tries in all. */
  attempts: number;
  /** Wait before the second try; doubled for each further one, up to a second, with up to half of it taken off. */
  firstDelayMs: number;
  /** Ends the waiting, and with it the tries. */
  signal?: AbortSignal;
  random?: () => number;
}

const MAX_DELAY_MS = 1_000;

/** Some two seconds of tries: longer than most failing over behind a proxy takes, shorter than a sender's patience. */
export const DEFAULT_RETRY: RetryOptions = { attempts: 8, firstDelayMs: 25 };

/** Runs work that may be repeated without harm, again while the database fails. */
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
