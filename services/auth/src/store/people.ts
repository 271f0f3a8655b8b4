import { lockName } from '@tollgate/common/postgres/lock-name';
import { onlyRow, type Queryable } from '@tollgate/common/postgres/pool';
import type { Person } from '@tollgate/proto/auth';

/** Columns of a person, in the shape of `PersonRow`, of auth.people as `p`. */
export const PERSON_COLUMNS = `p.person_id, p.email, p.name, p.password_hash, p.is_operator, p.created_at,
  p.session_generation, p.password_proven,
  EXISTS (SELECT FROM auth.identities i WHERE i.person_id = p.person_id) AS has_identity`;

/** A row of auth.people. */
export interface PersonRow {
  person_id: string;
  email: string;
  name: string;
  password_hash: string | null;
  is_operator: boolean;
  created_at: Date;
  session_generation: number;
  /** Whether whoever set the password had proven that the address is theirs. */
  password_proven: boolean;
  has_identity: boolean;
}

/** The wire form of a person. */
export function toPerson(row: PersonRow): Person {
  return {
    personId: row.person_id,
    email: row.email,
    name: row.name,
    isOperator: row.is_operator,
    hasPassword: row.password_hash !== null,
    hasIdentity: row.has_identity,
    createdAtMs: BigInt(row.created_at.getTime()),
    sessionGeneration: row.session_generation,
  };
}

export async function findPerson(db: Queryable, personId: string): Promise<PersonRow | undefined> {
  const { rows } = await db.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM auth.people p WHERE p.person_id = $1`, [
    personId,
  ]);
  return rows[0];
}

/** The generation of a person's sessions; undefined: no such person. */
export async function findSessionGeneration(db: Queryable, personId: string): Promise<number | undefined> {
  const { rows } = await db.query<{ session_generation: number }>({
    name: 'find-session-generation',
    text: 'SELECT session_generation FROM auth.people WHERE person_id = $1',
    values: [personId],
  });
  return rows[0]?.session_generation;
}

/** @param email in lower case */
export async function findPersonByEmail(db: Queryable, email: string): Promise<PersonRow | undefined> {
  const { rows } = await db.query<PersonRow>(`SELECT ${PERSON_COLUMNS} FROM auth.people p WHERE p.email = $1`, [email]);
  return rows[0];
}

/** Finds a person and locks them until the end of the transaction, so that changes of one person are serialized. */
export async function lockPerson(db: Queryable, personId: string): Promise<PersonRow | undefined> {
  const { rows } = await db.query<PersonRow>(
    `SELECT ${PERSON_COLUMNS} FROM auth.people p WHERE p.person_id = $1 FOR NO KEY UPDATE OF p`,
    [personId],
  );
  return rows[0];
}

/** Locks an e-mail address until the end of the transaction, so that at most one person is created for it. */
export async function lockEmail(db: Queryable, email: string): Promise<void> {
  await lockName(db, `tollgate-auth email ${email}`);
}

/** Locks the set of operators until the end of the transaction. Taken before any change of who is one. */
export async function lockOperators(db: Queryable): Promise<void> {
  await lockName(db, 'tollgate-auth operators');
}

export interface PersonToInsert {
  personId: string;
  email: string;
  /** May be empty. */
  name: string;
  passwordHash: string | undefined;
  passwordProven: boolean;
}

/** Inserts a person whose address is locked and free. */
export async function insertPerson(db: Queryable, person: PersonToInsert): Promise<PersonRow> {
  const { rows } = await db.query<PersonRow>(
    `INSERT INTO auth.people AS p (person_id, email, name, password_hash, password_proven) VALUES ($1, $2, $3, $4, $5)
     RETURNING ${PERSON_COLUMNS}`,
    [person.personId, person.email, person.name, person.passwordHash, person.passwordProven],
  );
  return onlyRow(rows, 'an inserted person was not returned');
}

/** Writes the changeable columns of a locked person. Another password ends the sessions of their generation. */
export async function writePerson(
  db: Queryable,
  person: Pick<PersonRow, 'person_id' | 'name' | 'password_hash' | 'password_proven' | 'is_operator'>,
): Promise<PersonRow> {
  const { rows } = await db.query<PersonRow>(
    `UPDATE auth.people p SET name = $2, password_hash = $3, is_operator = $4, password_proven = $5,
       session_generation = session_generation + (password_hash IS DISTINCT FROM $3)::int
     WHERE p.person_id = $1
     RETURNING ${PERSON_COLUMNS}`,
    [person.person_id, person.name, person.password_hash, person.is_operator, person.password_proven],
  );
  return onlyRow(rows, 'a locked person is gone');
}

/** Ends the sessions of a locked person who has proven their address, and removes a password that was set without such proof. */
export async function handOver(db: Queryable, personId: string): Promise<PersonRow> {
  const { rows } = await db.query<PersonRow>(
    `UPDATE auth.people p SET session_generation = session_generation + 1,
       password_hash = CASE WHEN password_proven THEN password_hash END
     WHERE p.person_id = $1
     RETURNING ${PERSON_COLUMNS}`,
    [personId],
  );
  return onlyRow(rows, 'a locked person is gone');
}

/** Operators, in order of their addresses. */
export async function listOperators(db: Queryable, limit: number): Promise<PersonRow[]> {
  const { rows } = await db.query<PersonRow>(
    `SELECT ${PERSON_COLUMNS} FROM auth.people p WHERE p.is_operator ORDER BY p.email LIMIT $1`,
    [limit],
  );
  return rows;
}

export async function countOperators(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM auth.people WHERE is_operator',
  );
  return onlyRow(rows, 'a count returned no row').count;
}
