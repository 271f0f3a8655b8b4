/** The Postgres schema that this service owns. */
export const SCHEMA = 'payments';
