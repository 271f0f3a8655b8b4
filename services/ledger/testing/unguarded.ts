/** Begins statements that change or remove charges and transfers, which only a superuser can. Lasts for the transaction. */
export const UNGUARDED = 'SET LOCAL session_replication_role = replica;';
