import type { CloudIdentity } from '@tollgate/proto/router';
import { isRecord, type JsonRecord, parseJson } from '@tollgate/protocols/json/record';
import { bearerIdentity, type Identity, type IdentityContext } from './identity.ts';
import { type Minted, RefreshedValue } from './refreshed-value.ts';

const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';
/** Google's tokens are valid for an hour. Where a library does not say until when, this is assumed. */
const ASSUMED_LIFE_MS = 30 * 60_000;

/**
 * A Google Cloud identity: sends access tokens of a service account's key, of workload identity federation, or of the
 * metadata server. Google's library is loaded when needed.
 *
 * @param configuration the JSON of a key or of a federation; undefined for what the environment has
 */
export function googleIdentity(
  { scope }: CloudIdentity,
  configuration: string | undefined,
  { now, onFailure }: IdentityContext,
): Identity {
  const mint = tokenSource(scope === '' ? CLOUD_PLATFORM : scope, configuration, now);
  return bearerIdentity(new RefreshedValue({ mint, now, onFailure }));
}

function tokenSource(
  scope: string,
  configuration: string | undefined,
  now: () => number,
): () => Promise<Minted<string>> {
  let found: ReturnType<typeof openClient> | undefined;
  return async () => {
    found ??= openClient(scope, configuration);
    const client = await found.catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    const { token } = await client.getAccessToken();
    if (!token) throw new Error('Google issued no access token');
    return { value: token, expiresAtMs: client.credentials.expiry_date ?? now() + ASSUMED_LIFE_MS };
  };
}

async function openClient(scope: string, configuration: string | undefined) {
  const { GoogleAuth } = await import('google-auth-library');
  const credentials = configuration === undefined ? undefined : configurationOf(configuration);
  const client = await new GoogleAuth({
    scopes: [scope],
    ...(credentials !== undefined && { credentials }),
  }).getClient();
  // Every call obtains a new token: when, is decided here.
  client.eagerRefreshThresholdMillis = Number.MAX_SAFE_INTEGER;
  return client;
}

function configurationOf(text: string): JsonRecord {
  const value = parseJson(text);
  if (!isRecord(value)) throw new Error('the credential is not the JSON of a Google key or federation');
  return value;
}
