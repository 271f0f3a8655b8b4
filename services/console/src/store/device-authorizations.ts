import type { Queryable } from '@tollgate/common/postgres/pool';

export interface DeviceAuthorizationRow {
  device: string;
  ip_address: string;
  created_at: Date;
  expires_at: Date;
}

export interface NewDeviceAuthorization {
  deviceCodeSha256: Buffer;
  userCodeSha256: Buffer;
  device: string;
  ipAddress: string;
  lifeS: number;
  intervalS: number;
}

/** Adds one unless too many wait; false: they do. */
export async function insertDeviceAuthorization(
  db: Queryable,
  given: NewDeviceAuthorization,
  max: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO console.device_authorizations
       (device_code_sha256, user_code_sha256, device, ip_address, expires_at, interval_s)
     SELECT $1, $2, $3, $4, now() + make_interval(secs => $5), $6
     WHERE (SELECT count(*) FROM console.device_authorizations WHERE expires_at > now()) < $7`,
    [given.deviceCodeSha256, given.userCodeSha256, given.device, given.ipAddress, given.lifeS, given.intervalS, max],
  );
  return rowCount === 1;
}

const OPEN = 'expires_at > now() AND person_id IS NULL AND NOT is_denied';

/** One that waits for a person; undefined: none, or it has expired, or somebody has decided. */
export async function findOpenDevice(
  db: Queryable,
  userCodeSha256: Buffer,
): Promise<DeviceAuthorizationRow | undefined> {
  const { rows } = await db.query<DeviceAuthorizationRow>(
    `SELECT device, ip_address, created_at, expires_at FROM console.device_authorizations
     WHERE user_code_sha256 = $1 AND ${OPEN}`,
    [userCodeSha256],
  );
  return rows[0];
}

/** Decides about one, once. @param person undefined: it is denied @returns false: none waits */
export async function decideDevice(
  db: Queryable,
  userCodeSha256: Buffer,
  person: { personId: string; generation: number } | undefined,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE console.device_authorizations SET is_denied = $2, person_id = $3, session_generation = $4
     WHERE user_code_sha256 = $1 AND ${OPEN}`,
    [userCodeSha256, person === undefined, person?.personId ?? null, person?.generation ?? null],
  );
  return rowCount === 1;
}

/** What the command line learns when it asks. */
export interface AskedRow {
  is_expired: boolean;
  is_denied: boolean;
  is_early: boolean;
  person_id: string | null;
  session_generation: number | null;
  device: string;
  ip_address: string;
}

/** Asks about one, and lets whoever asks too early wait longer; undefined: there is none. Locks it. */
export async function askDevice(
  db: Queryable,
  deviceCodeSha256: Buffer,
  longerS: number,
): Promise<AskedRow | undefined> {
  const { rows } = await db.query<AskedRow>(
    `SELECT expires_at <= now() AS is_expired, is_denied, person_id, session_generation, device, ip_address,
       asked_at IS NOT NULL AND clock_timestamp() < asked_at + make_interval(secs => interval_s) AS is_early
     FROM console.device_authorizations WHERE device_code_sha256 = $1 FOR UPDATE`,
    [deviceCodeSha256],
  );
  const [row] = rows;
  await db.query(
    `UPDATE console.device_authorizations SET asked_at = clock_timestamp(), interval_s = interval_s + $2
     WHERE device_code_sha256 = $1`,
    [deviceCodeSha256, row?.is_early === true ? longerS : 0],
  );
  return row;
}

/** Removes one that has been used or refused: its codes are worth nothing any more. */
export async function deleteDevice(db: Queryable, deviceCodeSha256: Buffer): Promise<void> {
  await db.query('DELETE FROM console.device_authorizations WHERE device_code_sha256 = $1', [deviceCodeSha256]);
}

/** Removes those that have expired a while ago, so that whoever still asks learns why; returns how many. */
export async function deleteExpiredDevices(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM console.device_authorizations WHERE device_code_sha256 IN (
       SELECT device_code_sha256 FROM console.device_authorizations WHERE expires_at <= now() - interval '10 minutes' LIMIT $1
       FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}
