/**
 * The revision that a changed row of a key or an account gets: one that grows, and follows the clock, so that a database
 * restored from a backup gives none again that an ingress has learnt of already.
 */
export const NEXT_REVISION = 'greatest(revision + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)';
