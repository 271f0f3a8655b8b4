import { readFile } from 'node:fs/promises';
import type { CloudIdentity } from '@tollgate/proto/router';
import { nonNegativeInteger, parseJson, recordOr } from '@tollgate/protocols/json/record';
import { bearerIdentity, type Identity, type IdentityContext } from './identity.ts';
import { type Minted, RefreshedValue } from './refreshed-value.ts';

const DEFAULT_SCOPE = 'https://ai.azure.com/.default';
const DEFAULT_AUTHORITY = 'https://login.microsoftonline.com';
const JWT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const REQUEST_TIMEOUT_MS = 8_000;

/**
 * A Microsoft Entra identity: an application that proves itself with a client secret, or with the token that Kubernetes
 * projects for its service account (workload identity). Its settings default to the variables that Azure injects.
 */
export function entraIdentity(
  cloud: CloudIdentity,
  clientSecret: string | undefined,
  { env, now, onFailure }: IdentityContext,
): Identity {
  const mint = () => requestToken(cloud, clientSecret, env, now);
  return bearerIdentity(new RefreshedValue({ mint, now, onFailure }));
}

/** https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
async function requestToken(
  cloud: CloudIdentity,
  clientSecret: string | undefined,
  env: NodeJS.ProcessEnv,
  now: () => number,
): Promise<Minted<string>> {
  const tenant = cloud.tenant || required(env, 'AZURE_TENANT_ID');
  const authority = env['AZURE_AUTHORITY_HOST'] || DEFAULT_AUTHORITY;
  const askedAtMs = now();
  const response = await fetch(`${authority.replace(/\/+$/, '')}/${tenant}/oauth2/v2.0/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: cloud.clientId || required(env, 'AZURE_CLIENT_ID'),
      scope: cloud.scope || DEFAULT_SCOPE,
      ...(clientSecret === undefined ? await assertion(env) : { client_secret: clientSecret }),
    }).toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const answer = recordOr(parseJson(await response.text()));
  const { access_token: token, expires_in: life } = answer;
  const seconds = nonNegativeInteger(Number(life));
  if (response.status !== 200 || typeof token !== 'string' || token === '' || seconds === undefined) {
    throw new Error(`Entra issued no token: status ${response.status}${reasonOf(answer)}`);
  }
  return { value: token, expiresAtMs: askedAtMs + seconds * 1_000 };
}

/** The projected token is read each time: Kubernetes replaces it before it expires. */
async function assertion(env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const token = await readFile(required(env, 'AZURE_FEDERATED_TOKEN_FILE'), 'utf8');
  return { client_assertion_type: JWT_ASSERTION, client_assertion: token.trim() };
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`environment variable ${name} is not set`);
  return value;
}

/** The error's name and Microsoft's code, without its text, which names tenants and applications. */
function reasonOf({ error, error_description: text }: Record<string, unknown>): string {
  const name = typeof error === 'string' && /^[a-z_]{1,50}$/.test(error) ? `, ${error}` : '';
  const code = typeof text === 'string' ? /AADSTS\d{1,10}/.exec(text)?.[0] : undefined;
  return code === undefined ? name : `${name} (${code})`;
}
