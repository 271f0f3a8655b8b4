/** Maximum members of an account, open invitations included; also maximum operators. They are listed in one response. */
export const MAX_MEMBERS = 1_000;

/** Maximum accounts that are listed of one person. */
export const MAX_MEMBERSHIPS = 1_000;

/** Expired rows that a call which adds one removes. */
export const EXPIRED_AT_ONCE = 100;
