/** Only outcomes of this time count: long enough for slow responses, short enough to notice a recovery. */
export const WINDOW_MS = 30_000;

/** The window moves in steps of this length. */
export const SLOT_MS = 1_000;

/** This many consecutive failures take a deployment out of rotation. */
export const CONSECUTIVE_FAILURES = 5;

/** So does this share of failures in the window, per mille, once the window has MIN_CALLS_FOR_SHARE outcomes. */
export const FAILURE_SHARE_PER_MILLE = 500;

/** Successes and failures in the window from which the share counts. */
export const MIN_CALLS_FOR_SHARE = 20;

/**
 * This many consecutive refusals of our credential take a deployment out. More than failures, because only one of several
 * credentials of the deployment may be refused.
 */
export const CONSECUTIVE_REFUSALS = 10;

/** The first pause of a deployment. */
export const FIRST_PAUSE_MS = 5_000;

/** The first pause after refused credentials: longer, because a person has to replace them. */
export const FIRST_REFUSAL_PAUSE_MS = 30_000;

/** The pause doubles each time the deployment fails on its return, up to this. */
export const MAX_PAUSE_MS = 300_000;

/** Consecutive successes on trial that make a deployment healthy again. */
export const TRIAL_SUCCESSES = 3;
