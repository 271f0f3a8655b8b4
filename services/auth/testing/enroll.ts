import type { Actor } from '@tollgate/common/actors/token';
import type { Pool } from '@tollgate/common/postgres/pool';

/** Stores the person of a made-up actor, with their role in the account. */
export async function enroll(pool: Pool, accountId: string, actor: Actor): Promise<void> {
  await pool.query('INSERT INTO auth.people (person_id, email, name) VALUES ($1, $2, $3)', [
    actor.id,
    `${actor.id}@example.com`,
    actor.name,
  ]);
  await pool.query('INSERT INTO auth.memberships (account_id, person_id, role, project_ids) VALUES ($1, $2, $3, $4)', [
    accountId,
    actor.id,
    actor.role,
    actor.projectIds,
  ]);
}
