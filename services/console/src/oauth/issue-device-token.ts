import { inTransaction } from '@tollgate/common/postgres/pool';
import { hashOfSecret } from '@tollgate/common/secret-links';
import type { Client } from '../http/call.ts';
import { type AskedRow, askDevice, deleteDevice } from '../store/device-authorizations.ts';
import { LIFE_S } from '../store/sessions.ts';
import type { DeviceDependencies } from './authorize-device.ts';
import { type Form, requireClient, required } from './form.ts';
import { OAuthError } from './oauth-error.ts';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
/** By how much whoever asks too early has to wait longer: https://www.rfc-editor.org/rfc/rfc8628#section-3.5 */
const LONGER_S = 5;

/** Gives the command line the token of a session once a person has confirmed it. A code is worth one token. */
export async function issueDeviceToken({ pool, sessions }: DeviceDependencies, form: Form, client: Client) {
  if (required(form, 'grant_type') !== GRANT_TYPE)
    throw new OAuthError('unsupported_grant_type', `grant_type must be ${GRANT_TYPE}.`);
  requireClient(form);
  const codeSha256 = hashOfSecret(required(form, 'device_code'));
  const asked = await inTransaction(pool, async (db) => {
    const row = await askDevice(db, codeSha256, LONGER_S);
    const isDecided = row !== undefined && (row.is_denied || row.person_id !== null);
    const isDone = row?.is_expired === true || (isDecided && !row.is_early);
    if (isDone) await deleteDevice(db, codeSha256);
    return row;
  });
  const { person_id: personId, session_generation: sessionGeneration, device } = confirmed(asked);
  const token = await sessions.beginOfCommandLine({ personId, sessionGeneration, device, ipAddress: client.ip });
  return { access_token: token, token_type: 'Bearer', expires_in: LIFE_S };
}

interface Confirmed extends AskedRow {
  person_id: string;
  session_generation: number;
}

function confirmed(row: AskedRow | undefined): Confirmed {
  if (row === undefined) throw new OAuthError('invalid_grant', 'The device code is not known, or has been used.');
  if (row.is_expired) throw new OAuthError('expired_token', 'Nobody has confirmed the code in time. Begin again.');
  if (row.is_early) throw new OAuthError('slow_down', `Ask less often: ${LONGER_S} seconds more between two calls.`);
  if (row.is_denied) throw new OAuthError('access_denied', 'Somebody has refused it in the console.');
  const { person_id, session_generation } = row;
  if (person_id === null || session_generation === null)
    throw new OAuthError('authorization_pending', 'Nobody has confirmed the code yet.');
  return { ...row, person_id, session_generation };
}
