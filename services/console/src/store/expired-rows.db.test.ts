import { createLogger } from '@tollgate/common/logging';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteOldAttempts } from './attempts.ts';
import { deleteExpiredOidcFlows } from './oidc-flows.ts';
import { deleteOldBillDays } from './provider-bills.ts';
import { deleteEndedSessions } from './sessions.ts';

let database: FreshDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await migratedDatabase();
  pool = createPool({ url: database.url, size: 3, applicationName: 'test' }, createLogger('test', 'silent'));
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** Each kind: three rows that have expired and one that has not, and the column that tells them apart. */
const KINDS = {
  'ended sessions': {
    insert: `INSERT INTO console.sessions (session_id, token_sha256, person_id, device, ip_address, expires_at)
             SELECT gen_random_uuid(), sha256(n::text::bytea), gen_random_uuid(), '', '', now() + n * interval '1 hour'
             FROM unnest(ARRAY[-3, -2, -1, 1]) n`,
    lock: 'SELECT FROM console.sessions WHERE expires_at < now() LIMIT 1 FOR UPDATE',
    count: 'SELECT count(*)::int AS count FROM console.sessions',
    remove: deleteEndedSessions,
  },
  'old attempts': {
    insert: `INSERT INTO console.attempts (name_sha256, level, updated_at)
             SELECT sha256(n::text::bytea), 1, now() - n * interval '1 hour' FROM unnest(ARRAY[23, 25, 26, 27]) n`,
    lock: `SELECT FROM console.attempts WHERE updated_at < now() - interval '1 day' LIMIT 1 FOR UPDATE`,
    count: 'SELECT count(*)::int AS count FROM console.attempts',
    remove: deleteOldAttempts,
  },
  'networks that were used long ago': {
    insert: `INSERT INTO console.known_networks (name_sha256, used_at)
             SELECT sha256(n::text::bytea), now() - n * interval '1 day' FROM unnest(ARRAY[89, 91, 92, 93]) n`,
    lock: `SELECT FROM console.known_networks WHERE used_at < now() - interval '90 days' LIMIT 1 FOR UPDATE`,
    count: 'SELECT count(*)::int AS count FROM console.known_networks',
    remove: deleteOldAttempts,
  },
  'bills of long ago': {
    insert: `INSERT INTO console.provider_bills (provider, day, model, requests, differs)
             SELECT 'sim', current_date - n, '', 0, false FROM unnest(ARRAY[399, 401, 402, 403]) n`,
    lock: 'SELECT FROM console.provider_bills WHERE day < current_date - 400 LIMIT 1 FOR UPDATE',
    count: 'SELECT count(*)::int AS count FROM console.provider_bills',
    remove: deleteOldBillDays,
  },
  'expired sign-ins with OpenID Connect': {
    insert: `INSERT INTO console.oidc_flows (flow_sha256, state, nonce, code_verifier, return_to, expires_at)
             SELECT sha256(n::text::bytea), '', '', '', '/', now() + n * interval '1 hour'
             FROM unnest(ARRAY[-3, -2, -1, 1]) n`,
    lock: 'SELECT FROM console.oidc_flows WHERE expires_at < now() LIMIT 1 FOR UPDATE',
    count: 'SELECT count(*)::int AS count FROM console.oidc_flows',
    remove: deleteExpiredOidcFlows,
  },
};

it.each(Object.entries(KINDS))('removing %s waits for no row that somebody else changes', async (_, kind) => {
  const { insert, lock, count, remove } = kind;
  await pool.query(insert);
  const other = await pool.connect();
  try {
    await other.query('BEGIN');
    await other.query(lock);
    expect(await remove(pool, 1)).toBe(1);
    expect(await remove(pool, 10)).toBe(1);
    expect(await remove(pool, 10)).toBe(0);
    await other.query('ROLLBACK');
  } finally {
    other.release();
  }
  expect(await remove(pool, 10)).toBe(1);
  expect((await pool.query(count)).rows).toEqual([{ count: 1 }]);
});
