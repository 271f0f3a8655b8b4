import type { NewKey } from '@tollgate/common/keys/index';
import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyRow } from './api-key.ts';
import { NEXT_REVISION } from './next-revision.ts';

export interface Rotation {
  keyId: string;
  value: NewKey;
  /** The value that stays good beside the new one, and until when; undefined: none. */
  previous: { sha256: Buffer; until: Date } | undefined;
  /** What a repeated call is known by; empty: nothing. */
  rotationKey: string;
}

/** Gives a locked key another value, under a new revision. */
export async function writeRotation(db: Queryable, rotation: Rotation): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE auth.keys
     SET key_sha256 = $2, display_prefix = $3, last_four = $4, previous_sha256 = $5, previous_until = $6,
         rotation_key = nullif($7, ''), revision = ${NEXT_REVISION}
     WHERE key_id = $1
     RETURNING ${KEY_COLUMNS}`,
    [
      rotation.keyId,
      rotation.value.sha256,
      rotation.value.displayPrefix,
      rotation.value.lastFour,
      rotation.previous?.sha256 ?? null,
      rotation.previous?.until ?? null,
      rotation.rotationKey,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a locked key is gone');
  return row;
}
