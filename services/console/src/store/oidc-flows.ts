import type { Queryable } from '@tollgate/common/postgres/pool';

/** A sign-in that has left for the provider. */
export interface OidcFlowRow {
  state: string;
  nonce: string;
  code_verifier: string;
  return_to: string;
}

export interface NewOidcFlow extends OidcFlowRow {
  flowSha256: Buffer;
  lifeSeconds: number;
}

export async function insertOidcFlow(db: Queryable, flow: NewOidcFlow): Promise<void> {
  await db.query(
    `INSERT INTO console.oidc_flows (flow_sha256, state, nonce, code_verifier, return_to, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
    [flow.flowSha256, flow.state, flow.nonce, flow.code_verifier, flow.return_to, flow.lifeSeconds],
  );
}

/** Removes the flow of a browser and returns it: it can be used once. Another state leaves it as it is. */
export async function takeOidcFlow(db: Queryable, flowSha256: Buffer, state: string): Promise<OidcFlowRow | undefined> {
  const { rows } = await db.query<OidcFlowRow>(
    `DELETE FROM console.oidc_flows WHERE flow_sha256 = $1 AND state = $2 AND expires_at > now()
     RETURNING state, nonce, code_verifier, return_to`,
    [flowSha256, state],
  );
  return rows[0];
}

/** Removes expired flows; returns how many. */
export async function deleteExpiredOidcFlows(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM console.oidc_flows WHERE flow_sha256 IN (
       SELECT flow_sha256 FROM console.oidc_flows WHERE expires_at <= now() LIMIT $1
       FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}
