import type { RateLimits, SpendingCaps } from '@tollgate/proto/auth';
import type { Command } from 'commander';
import { amountFromZero, limit, openLimit, tag } from '../terminal/arguments.ts';
import { UsageFailure } from '../terminal/failure.ts';

export interface CapOptions {
  capDay?: bigint;
  capMonth?: bigint;
  capTotal?: bigint;
}

export interface LimitOptions {
  requestsPerMinute?: bigint;
  tokensPerMinute?: bigint;
  openRequests?: number;
}

export interface TagOptions {
  tag?: Record<string, string>;
}

export function withCaps(command: Command): Command {
  return command
    .option('--cap-day <dollars>', 'maximum spend per day (UTC); default: no cap', amountFromZero)
    .option('--cap-month <dollars>', 'maximum spend per month (UTC); default: no cap', amountFromZero)
    .option('--cap-total <dollars>', 'maximum spend in total; default: no cap', amountFromZero);
}

export function withLimits(command: Command): Command {
  return command
    .option('--requests-per-minute <count>', 'maximum requests per minute; default: no limit', limit)
    .option('--tokens-per-minute <count>', 'maximum input and output tokens per minute; default: no limit', limit)
    .option('--open-requests <count>', 'maximum requests open at the same time; default: no limit', openLimit);
}

export function withTags(command: Command): Command {
  return command.option('--tag <name=value>', 'tag on each charge of the key; repeatable', tag);
}

/** The caps given; undefined when none is. */
export function capsOf({ capDay, capMonth, capTotal }: CapOptions): SpendingCaps | undefined {
  if (capDay === undefined && capMonth === undefined && capTotal === undefined) return undefined;
  return { dayNanos: capDay, monthNanos: capMonth, totalNanos: capTotal };
}

/** The limits given; undefined when none is. */
export function limitsOf({ requestsPerMinute, tokensPerMinute, openRequests }: LimitOptions): RateLimits | undefined {
  if (requestsPerMinute === undefined && tokensPerMinute === undefined && openRequests === undefined) return undefined;
  return { requestsPerMinute, tokensPerMinute, openRequests };
}

/**
 * The new value of an attribute; undefined where it stays.
 *
 * @param removal the option that removes the attribute, and whether it was given
 * @param removed the value of a removed attribute
 */
export function newValue<T>(
  given: T | undefined,
  removal: [option: string, isGiven: boolean],
  removed: T,
): T | undefined {
  const [option, isGiven] = removal;
  if (!isGiven) return given;
  if (given !== undefined) throw new UsageFailure(`${option} cannot be combined with new values`);
  return removed;
}
