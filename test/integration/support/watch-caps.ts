import type pg from 'pg';

/**
 * Polls what is spent and leased of the caps of a key, or of a node above keys, until stopped; resolves with the maximum by which
 * one was exceeded.
 */
export function watchCaps(sql: pg.Pool, nodeId: string): { stop: () => Promise<bigint> } {
  let stopped = false;
  let max: bigint | undefined;
  const watching = (async () => {
    while (!stopped) {
      const { rows } = await sql.query<{ beyond: string }>(
        'SELECT (spent + leased - limit_nanos)::text AS beyond FROM ledger.ceilings WHERE node_id = $1',
        [nodeId],
      );
      for (const { beyond } of rows) if (max === undefined || BigInt(beyond) > max) max = BigInt(beyond);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await watching;
      if (max === undefined) throw new Error('no cap was observed');
      return max;
    },
  };
}
