import type { LimitGrant as LimitGrantMessage } from '@tollgate/proto/auth';

/** Windows for which a higher limit can be granted; a total has no end, and so no other limit after it. */
export const GRANT_PERIODS = ['day', 'week', 'month', 'session'] as const;
export type GrantPeriod = (typeof GRANT_PERIODS)[number];

/** A higher limit that somebody granted: of a node in one window, or of one session. */
export interface LimitGrant {
  period: GrantPeriod;
  /** Start of the window, Unix milliseconds; 0 for a session. */
  periodStartMs: number;
  /** The node of the session; empty for a window. */
  sessionNodeId: string;
  limitNanos: bigint;
  /** Of a session: above the revisions of all limits that clients set. 0 for a window, as its node has one. */
  revision: bigint;
}

export const NO_GRANTS: readonly LimitGrant[] = [];

/** Grants of a message of auth. Those of periods that a newer auth may send leave the limit as it is. */
export function toLimitGrants(messages: readonly LimitGrantMessage[]): readonly LimitGrant[] {
  if (messages.length === 0) return NO_GRANTS;
  return messages.flatMap(({ period: text, periodStartMs, ...rest }) => {
    const period = GRANT_PERIODS.find((each) => each === text);
    return period === undefined ? [] : [{ ...rest, period, periodStartMs: Number(periodStartMs) }];
  });
}

/** Revisions of limits that clients set for their sessions are up to this: a lower limit is later. Those of grants are above. */
export const SESSION_REVISION = 2n ** 62n;
