import type { Pool } from '@tollgate/common/postgres/pool';
import { hashOfSecret } from '@tollgate/common/secret-links';
import type { ConsoleConfig } from '../config.ts';
import type { Client } from '../http/call.ts';
import { describeDevice } from '../sessions/device.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { takeDeviceAttempt } from '../sign-in/attempt-limits.ts';
import { insertDeviceAuthorization } from '../store/device-authorizations.ts';
import { hashOfUserCode, newDeviceCode, newUserCode } from './codes.ts';
import { type Form, requireClient } from './form.ts';
import { OAuthError } from './oauth-error.ts';

const LIFE_S = 600;
const INTERVAL_S = 5;
/** Codes that wait for a person at the same time. */
const MAX_WAITING = 1_000;

export interface DeviceDependencies {
  config: Pick<ConsoleConfig, 'CONSOLE_URL'>;
  pool: Pool;
  sessions: Sessions;
}

/** Begins a sign-in of the command line, which a person confirms with the code in the console. */
export async function authorizeDevice({ config, pool }: DeviceDependencies, form: Form, client: Client) {
  requireClient(form);
  await takeDeviceAttempt(pool, client.ip);
  const [deviceCode, userCode] = [newDeviceCode(), newUserCode()];
  const authorization = {
    deviceCodeSha256: hashOfSecret(deviceCode),
    userCodeSha256: hashOfUserCode(userCode),
    device: describeDevice(client.userAgent),
    ipAddress: client.ip,
    lifeS: LIFE_S,
    intervalS: INTERVAL_S,
  };
  if (!(await insertDeviceAuthorization(pool, authorization, MAX_WAITING)))
    throw new OAuthError('temporarily_unavailable', 'Too many sign-ins wait. Try again in a few minutes.', 503);
  const page = `${config.CONSOLE_URL}/device`;
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${userCode}`,
    expires_in: LIFE_S,
    interval: INTERVAL_S,
  };
}
