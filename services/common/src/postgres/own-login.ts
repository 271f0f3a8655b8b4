import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '../logging.ts';
import { connect, type MigrateOptions, migrate } from './migrate.ts';
import { onlyRow } from './pool.ts';

/** What the login of a service gets. */
export interface Ownership {
  /** All schemas of the service. */
  schemas: readonly string[];
  /** Roles of Postgres that it needs. */
  roles: readonly string[];
}

export interface OwnLoginOptions extends MigrateOptions, Ownership {
  /** URL of the database with the login of migrations: a superuser, or the owner of the database. */
  adminUrl: string;
}

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Migrates a schema as the login of its service, which owns that schema and can use no other. Creates the login unless it
 * exists, and hands over to it what another login owns. While services still use the login of migrations, they keep working,
 * because it stays a member of the others.
 *
 * The migrations run on a connection of the service's login, because what it owns could otherwise act with the rights of
 * the other: by a trigger, for instance.
 *
 * @returns the versions applied now
 */
export async function migrateAsOwnLogin(options: OwnLoginOptions, logger: Logger): Promise<number[]> {
  const admin = await connect({ ...options, databaseUrl: options.adminUrl }, logger);
  try {
    await admin.query("SET lock_timeout = '60s'");
    // One service at a time: Postgres refuses concurrent changes of one object's privileges.
    await admin.query("SELECT pg_advisory_lock(hashtextextended('tollgate-logins', 0))");
    await createLogin(admin, options.databaseUrl);
    const owner = await ownerOf(options, logger);
    await handOver(admin, owner, options);
    const database = admin.escapeIdentifier(admin.database ?? '');
    // Only while it migrates: migrations create schemas.
    await run(admin, `GRANT CREATE ON DATABASE ${database} TO ${admin.escapeIdentifier(owner)}`);
    try {
      return await migrate(options, logger);
    } finally {
      await run(admin, `REVOKE CREATE ON DATABASE ${database} FROM ${admin.escapeIdentifier(owner)}`);
    }
  } finally {
    await admin.end();
  }
}

/** Creates the login of a URL with its password, unless it exists. */
async function createLogin(admin: pg.Client, url: string): Promise<void> {
  const { user = '', password } = new pg.Client({ connectionString: url });
  const { rows } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [user]);
  if (rows.length > 0) return;
  if (typeof password !== 'string' || password === '') {
    throw new Error(`the login ${user} does not exist, and its URL has no password to create it with`);
  }
  const statement = `CREATE ROLE ${admin.escapeIdentifier(user)} LOGIN`;
  await run(admin, `${statement} PASSWORD ${admin.escapeLiteral(scramVerifier(password))}`, statement);
}

/** What Postgres stores of a password (RFC 5802), so that the password itself appears in no log of the server. */
function scramVerifier(password: string): string {
  const iterations = 4_096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const keyFor = (use: string) => createHmac('sha256', salted).update(use).digest();
  const storedKey = createHash('sha256').update(keyFor('Client Key')).digest('base64');
  const serverKey = keyFor('Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

/** The role that a login acts as and that owns what it creates: itself, unless another one is set for it. */
async function ownerOf(options: MigrateOptions, logger: Logger): Promise<string> {
  const client = await connect(options, logger);
  try {
    const { rows } = await client.query<{ name: string }>('SELECT current_user AS name');
    return onlyRow(rows, 'Postgres names no current user').name;
  } finally {
    await client.end();
  }
}

/** The statements by which a role becomes the owner of schemas and of everything in them, and that close `public`. */
const STATEMENTS = `
  WITH own AS (
    SELECT n.oid AS schema, n.nspname, n.nspowner, r.oid AS owner, quote_ident(r.rolname) AS name
    FROM pg_namespace n, pg_roles r WHERE n.nspname = ANY ($2) AND r.rolname = $1
  )
  SELECT statement FROM (
    SELECT 0 AS step, format('GRANT %I TO CURRENT_USER', $1::text) AS statement
    WHERE NOT pg_has_role($1, 'USAGE')
    UNION ALL
    SELECT 0, format('GRANT %I TO %I', role, $1::text) FROM unnest($3::text[]) AS role
    WHERE NOT pg_has_role($1, role, 'USAGE')
    UNION ALL
    SELECT 1, format('ALTER SCHEMA %I OWNER TO %s', nspname, name) FROM own WHERE nspowner <> owner
    UNION ALL
    SELECT 2, format('ALTER TABLE %s OWNER TO %s', c.oid::regclass, name)
    FROM own JOIN pg_class c ON c.relnamespace = schema AND c.relowner <> owner
    WHERE relkind IN ('r', 'p', 'v', 'm', 'S')
      -- A sequence of a column follows its table.
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND relkind = 'S'
                      AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i'))
    UNION ALL
    SELECT 2, format('ALTER ROUTINE %s OWNER TO %s', p.oid::regprocedure, name)
    FROM own JOIN pg_proc p ON p.pronamespace = schema AND p.proowner <> owner
    UNION ALL
    SELECT 2, format('ALTER TYPE %s OWNER TO %s', t.oid::regtype, name)
    FROM own JOIN pg_type t ON t.typnamespace = schema AND t.typowner <> owner
    WHERE typtype IN ('e', 'd', 'r')
    UNION ALL
    SELECT 2, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC'
    FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'public' AND grantee = 0 AND privilege_type = 'CREATE'
  ) AS statements ORDER BY step`;

/** Makes a role the owner of what is there, one statement at a time, so that no lock is held while another is waited for. */
async function handOver(admin: pg.Client, owner: string, { schemas, roles }: Ownership): Promise<void> {
  const current = await admin.query<{ name: string }>('SELECT current_user AS name');
  if (current.rows[0]?.name === owner)
    throw new Error(`${owner} is the login of migrations: a service needs another one`);
  const { rows } = await admin.query<{ statement: string }>(STATEMENTS, [owner, schemas, roles]);
  for (const { statement } of rows) await run(admin, statement);
}

/** Runs a statement. @throws Error that names it if the login of migrations may not */
async function run(admin: pg.Client, statement: string, shown = statement): Promise<void> {
  try {
    await admin.query(statement);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(`the login of migrations may not "${shown}": run it as a superuser, then migrate again`, {
      cause: error,
    });
  }
}
