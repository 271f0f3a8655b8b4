/** Outcomes are judged over this time back from now. Long enough for slow responses, short enough to notice a recovery. */
export const WINDOW_MS = 30_000;

/** The window moves in steps of this length. */
export const SLOT_MS = 1_000;

/** This many failures in a row, with no success between, take a deployment out at once. */
export const CONSECUTIVE_FAILURES = 5;

/** So does this share of failures over the window, in thousandths... */
export const FAILURE_SHARE_PER_MILLE = 500;

/** ...once there were this many successes and failures in it, as a share of a few calls says nothing. */
export const MIN_CALLS_FOR_SHARE = 20;

/**
 * This many refusals of our credential in a row take a deployment out. More than failures, since a deployment may have
 * several credentials of which only one is refused, and its successes come between.
 */
export const CONSECUTIVE_REFUSALS = 10;

/** A deployment is out for this long at first... */
export const FIRST_PAUSE_MS = 5_000;

/** ...a credential that is refused for longer, as a person has to replace it... */
export const FIRST_REFUSAL_PAUSE_MS = 30_000;

/** ...and each time it fails again on its return, for twice as long, up to this. */
export const MAX_PAUSE_MS = 300_000;

/** Successes in a row after its return that make a deployment healthy again, and its next pause a first one. */
export const TRIAL_SUCCESSES = 3;
