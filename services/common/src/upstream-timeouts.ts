/** Time limits of upstream calls, for providers whose catalogue entry sets none. */
export const DEFAULT_UPSTREAM_TIMEOUTS = {
  connectMs: 5_000,
  firstByteMs: 300_000,
  idleMs: 300_000,
  totalMs: 1_800_000,
} as const;
