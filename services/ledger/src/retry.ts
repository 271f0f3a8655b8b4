import { setTimeout as delay } from 'node:timers/promises';

/** SQLSTATEs after which the same transaction may succeed: deadlocks, restarts, failover, exhaustion, lost connections. */
const TRANSIENT_SQLSTATES = new Set(['40001', '40P01', '55P03', '57014', '57P01', '57P02', '57P03', '53300', '25006']);

const TRANSIENT_SYSTEM_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENOTFOUND',
]);

/** What the Postgres client says of a connection that it lost or could not get; it gives these no code. */
const CONNECTION_LOST = /connection terminated|timeout exceeded when trying to connect|not queryable|read timeout/i;

/** The SQLSTATE or system code of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether a database error may pass by itself, so that the same work is worth trying again. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error && CONNECTION_LOST.test(error.message);
  return TRANSIENT_SQLSTATES.has(code) || code.startsWith('08') || TRANSIENT_SYSTEM_ERRORS.has(code);
}

/** Whether a database error lies in the data itself (SQLSTATE classes 22 and 23), so that trying again cannot help. */
export function isDataError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && /^2[23]...$/.test(code);
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

const LONGEST_DELAY_MS = 1_000;

/** Some two seconds of tries: longer than most failing over behind a proxy takes, shorter than a sender's patience. */
export const DEFAULT_RETRY: RetryOptions = { attempts: 8, firstDelayMs: 25 };

/** Runs work that may be repeated without harm, again after transient database errors. */
export async function withRetries<T>(work: () => Promise<T>, options: RetryOptions = DEFAULT_RETRY): Promise<T> {
  const random = options.random ?? Math.random;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= options.attempts || !isTransient(error) || options.signal?.aborted) throw error;
      const pause = Math.min(options.firstDelayMs * 2 ** (attempt - 1), LONGEST_DELAY_MS);
      await delay(
        pause * (1 - random() / 2),
        undefined,
        options.signal === undefined ? {} : { signal: options.signal },
      );
    }
  }
}
