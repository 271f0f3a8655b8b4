import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Identity } from '@tollgate/proto/auth';
import { PERSON_COLUMNS, type PersonRow } from './people.ts';

/** The person to whom an identity is linked. */
export async function findPersonByIdentity(
  db: Queryable,
  { issuer, subject }: Identity,
): Promise<PersonRow | undefined> {
  const { rows } = await db.query<PersonRow>(
    `SELECT ${PERSON_COLUMNS} FROM auth.identities linked JOIN auth.people p USING (person_id)
     WHERE linked.issuer = $1 AND linked.subject = $2`,
    [issuer, subject],
  );
  return rows[0];
}

/** Links an identity to a person. @returns false: it is linked already, or the person has another one of this issuer */
export async function insertIdentity(db: Queryable, { issuer, subject }: Identity, personId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'INSERT INTO auth.identities (issuer, subject, person_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [issuer, subject, personId],
  );
  return rowCount === 1;
}
