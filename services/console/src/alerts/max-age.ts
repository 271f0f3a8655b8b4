/** Alerts older than this are not mailed: they say what was, and nobody can act on it any more. */
export const MAX_AGE_MS = 24 * 3_600_000;
