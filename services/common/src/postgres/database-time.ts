/** SQL: the database's clock, Unix milliseconds. */
export const DATABASE_TIME_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
