import type { RateLimits, SpendingCaps } from '@tollgate/proto/auth';
import type { Command } from 'commander';
import { amountFromZero, limit, openLimit, tag } from '../arguments.ts';
import { UsageFailure } from '../failure.ts';

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
    .option('--cap-day <dollars>', 'the most it may spend in a day of UTC; no cap when absent', amountFromZero)
    .option('--cap-month <dollars>', 'the most it may spend in a month of UTC; no cap when absent', amountFromZero)
    .option('--cap-total <dollars>', 'the most it may ever spend; no cap when absent', amountFromZero);
}

export function withLimits(command: Command): Command {
  return command
    .option('--requests-per-minute <count>', 'requests it may begin in a minute; no limit when absent', limit)
    .option('--tokens-per-minute <count>', 'tokens of input and output in a minute; no limit when absent', limit)
    .option('--open-requests <count>', 'requests under way at the same time; no limit when absent', openLimit);
}

export function withTags(command: Command): Command {
  return command.option('--tag <name=value>', 'what its charges are marked with; may be repeated', tag);
}

/** The caps that are named; undefined when none is. */
export function capsOf({ capDay, capMonth, capTotal }: CapOptions): SpendingCaps | undefined {
  if (capDay === undefined && capMonth === undefined && capTotal === undefined) return undefined;
  return { dayNanos: capDay, monthNanos: capMonth, totalNanos: capTotal };
}

/** The limits that are named; undefined when none is. */
export function limitsOf({ requestsPerMinute, tokensPerMinute, openRequests }: LimitOptions): RateLimits | undefined {
  if (requestsPerMinute === undefined && tokensPerMinute === undefined && openRequests === undefined) return undefined;
  return { requestsPerMinute, tokensPerMinute, openRequests };
}

/**
 * What an attribute is changed to: what is named, nothing where it is taken away, or undefined where it stays.
 *
 * @param taken whether its option for taking it away was given
 */
export function changed<T>(name: string, named: T | undefined, taken: boolean, nothing: T): T | undefined {
  if (taken && named !== undefined) throw new UsageFailure(`name ${name} or take them away, not both`);
  return taken ? nothing : named;
}
