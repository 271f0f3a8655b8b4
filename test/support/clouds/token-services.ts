import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '../gateway/http.ts';
import { at } from '../gateway/json.ts';
import { type Issued, Issuer } from './issuer.ts';
import { TokenSigner } from './signed-tokens.ts';
import { type CloudAnswer, type CloudEndpoints, reply } from './stand-in.ts';
import { type ArrivedRequest, signatureProblem } from './verify-sigv4.ts';

export const REGION = 'us-east-1';
export const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
export const ENTRA_SCOPE = 'https://ai.azure.com/.default';
/** The application that the cluster vouches for, and the one with a secret. */
export const FEDERATED_APPLICATION = { tenant: 'tenant-1', client_id: 'client-1' };
export const SECRET_APPLICATION = { tenant: 'tenant-2', client_id: 'client-2' };
export const CLIENT_SECRET = 'client-secret-for-tests';

/** The audiences of the tokens that the cluster projects, by the name of their file. */
const AUDIENCES = {
  'aws-token': 'sts.amazonaws.com',
  'eks-token': 'pods.eks.amazonaws.com',
  'google-token': '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool-1/providers/provider-1',
  'azure-token': 'api://AzureADTokenExchange',
} as const;
/** Keys without an end, of a profile that assumes a role. */
const PROFILE_KEYS = { id: 'AKIAPROFILE', secretAccessKey: 'profile-secret-for-tests' };
const WEB_ROLE = 'arn:aws:iam::123456789012:role/gateway';
const OTHER_ROLE = 'arn:aws:iam::210987654321:role/models';
const ACCOUNTS = { key: 'key@project-1.iam.gserviceaccount.com', other: 'other@project-1.iam.gserviceaccount.com' };

/** What gateways can be at the clouds, each with credentials of its own. */
export type Identities = Readonly<
  Record<
    | 'podIdentity'
    | 'webIdentity'
    | 'assumedRole'
    | 'metadataServer'
    | 'serviceAccountKey'
    | 'federation'
    | 'impersonation'
    | 'federatedApplication'
    | 'applicationSecret',
    Issuer
  >
>;

/** The services of clouds that issue short-lived credentials to those who prove who they are. */
export interface TokenServices {
  identities: Identities;
  endpoints: CloudEndpoints;
  /** Projects tokens of the cluster into files, with this life. */
  projectTokens: (lifeMs: number) => void;
  /** Variables of an ingress as the clouds inject them, apart from `aws`. */
  env: (url: string) => Record<string, string>;
  /** What the clouds inject into pods that AWS knows by one or the other. */
  aws: (url: string) => Record<'podIdentity' | 'webIdentity', Record<string, string>>;
  /** The JSON of a service account's key, and of federations without and with a service account. */
  googleFiles: (url: string) => Record<'serviceAccountKey' | 'federation' | 'impersonation', string>;
}

/** @param folder gets the projected tokens and a file with AWS's profiles */
export function tokenServices(folder: string): TokenServices {
  const [cluster, account] = [new TokenSigner('https://cluster.example'), new TokenSigner(ACCOUNTS.key)];
  const identities: Identities = {
    podIdentity: new Issuer('ASIAPOD'),
    webIdentity: new Issuer('ASIAWEB'),
    assumedRole: new Issuer('ASIAROLE'),
    metadataServer: new Issuer('ya29.metadata'),
    serviceAccountKey: new Issuer('ya29.key'),
    federation: new Issuer('ya29.federation'),
    impersonation: new Issuer('ya29.impersonation'),
    federatedApplication: new Issuer('eyJfederated'),
    applicationSecret: new Issuer('eyJsecret'),
  };
  const file = (name: keyof typeof AUDIENCES | 'profiles') => join(folder, name);
  const clusterProblem = (token: string | undefined, name: keyof typeof AUDIENCES) =>
    cluster.problem(token, { aud: AUDIENCES[name] });
  const projectTokens = (lifeMs: number) => {
    for (const [name, audience] of Object.entries(AUDIENCES)) {
      writeFileSync(join(folder, name), cluster.sign(audience, lifeMs));
    }
  };
  projectTokens(3_600_000);
  writeFileSync(file('profiles'), PROFILES);
  // Kept for the second step of an impersonation.
  const federated = new Issuer('ya29.first');

  const securityTokenService = (request: ArrivedRequest) => {
    const form = formOf(request);
    const isWeb = form['Action'] === 'AssumeRoleWithWebIdentity';
    const problem = isWeb
      ? (clusterProblem(form['WebIdentityToken'], 'aws-token') ?? differing(form, { RoleArn: WEB_ROLE }))
      : (signatureProblem(request, {
          region: REGION,
          service: 'sts',
          keys: (id) => (id === PROFILE_KEYS.id ? PROFILE_KEYS : undefined),
          nowMs: Date.now(),
        }) ?? differing(form, { Action: 'AssumeRole', RoleArn: OTHER_ROLE, ExternalId: 'external-1' }));
    const issuer = isWeb ? identities.webIdentity : identities.assumedRole;
    if (problem !== undefined || !issuer.isUp) return stsError(problem);
    return assumedRole(String(form['Action']), issuer.issue());
  };

  const endpoints: CloudEndpoints = {
    '/sts': securityTokenService,
    '/aws/container': ({ headers }) => {
      const problem = clusterProblem(headers['authorization']?.toString(), 'eks-token');
      if (problem !== undefined || !identities.podIdentity.isUp) return reply(500, { message: problem });
      const { id, secret, untilMs } = identities.podIdentity.issue();
      const body = { AccessKeyId: id, SecretAccessKey: secret, Token: sessionToken(id) };
      return reply(200, { ...body, Expiration: new Date(untilMs).toISOString() });
    },
    '/computeMetadata/': ({ url, headers }) => {
      if (headers['metadata-flavor'] !== 'Google') return reply(403, {});
      const flavor = { 'metadata-flavor': 'Google' };
      if (!url.includes('/service-accounts/default/token')) return reply(200, 'project-1', flavor);
      if (new URL(url, 'http://m').searchParams.get('scopes') !== GOOGLE_SCOPE) return reply(400, {});
      return accessToken(identities.metadataServer, flavor);
    },
    // That of oauth2.googleapis.com, which is no setting of a key.
    '/token': (request) => {
      const { grant_type: grant, assertion } = formOf(request);
      const expected = { aud: 'https://oauth2.googleapis.com/token', scope: GOOGLE_SCOPE };
      const problem =
        grant === 'urn:ietf:params:oauth:grant-type:jwt-bearer' ? account.problem(assertion, expected) : 'wrong grant';
      return problem === undefined ? accessToken(identities.serviceAccountKey) : invalidGrant(problem);
    },
    '/google/sts': (request) => {
      const form = formOf(request);
      const problem =
        clusterProblem(form['subject_token'], 'google-token') ??
        differing(form, {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          audience: AUDIENCES['google-token'],
          subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
          scope: GOOGLE_SCOPE,
        });
      if (problem !== undefined) return invalidGrant(problem);
      return accessToken(request.url.endsWith('/first') ? federated : identities.federation);
    },
    '/google/impersonate': ({ headers, body }) => {
      const isFederated = federated.valid(bearerOf(headers)) !== undefined;
      const scope = at(parse(body.toString()), 'scope', 0);
      if (!isFederated || scope !== GOOGLE_SCOPE) return reply(403, { error: { status: 'PERMISSION_DENIED' } });
      if (!identities.impersonation.isUp) return reply(503, {});
      const { id, untilMs } = identities.impersonation.issue();
      return reply(200, { accessToken: id, expireTime: new Date(untilMs).toISOString() });
    },
    [`/${FEDERATED_APPLICATION.tenant}/oauth2/v2.0/token`]: (request) => {
      const form = formOf(request);
      const problem =
        clusterProblem(form['client_assertion'], 'azure-token') ??
        differing(form, {
          ...ENTRA_FORM,
          client_id: FEDERATED_APPLICATION.client_id,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        });
      return problem === undefined ? accessToken(identities.federatedApplication) : invalidClient(problem);
    },
    [`/${SECRET_APPLICATION.tenant}/oauth2/v2.0/token`]: (request) => {
      const expected = { ...ENTRA_FORM, client_id: SECRET_APPLICATION.client_id, client_secret: CLIENT_SECRET };
      const problem = differing(formOf(request), expected);
      return problem === undefined ? accessToken(identities.applicationSecret) : invalidClient(problem);
    },
  };

  return {
    identities,
    endpoints,
    projectTokens,
    env: (url) => ({
      AWS_ENDPOINT_URL_STS: `${url}/sts`,
      AWS_CONFIG_FILE: file('profiles'),
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
      GCE_METADATA_HOST: new URL(url).host,
      METADATA_SERVER_DETECTION: 'assume-present',
      AZURE_AUTHORITY_HOST: `${url}/`,
      AZURE_TENANT_ID: FEDERATED_APPLICATION.tenant,
      AZURE_CLIENT_ID: FEDERATED_APPLICATION.client_id,
      AZURE_FEDERATED_TOKEN_FILE: file('azure-token'),
      TEST_CLIENT_SECRET: CLIENT_SECRET,
      // Google's libraries call oauth2.googleapis.com through it.
      HTTPS_PROXY: url,
      NO_PROXY: '127.0.0.1',
    }),
    aws: (url) => ({
      podIdentity: {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/aws/container`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file('eks-token'),
      },
      webIdentity: { AWS_ROLE_ARN: WEB_ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: file('aws-token') },
    }),
    googleFiles: (url) => {
      const external = {
        type: 'external_account',
        audience: AUDIENCES['google-token'],
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        credential_source: { file: file('google-token') },
      };
      return {
        serviceAccountKey: JSON.stringify({
          type: 'service_account',
          project_id: 'project-1',
          private_key_id: 'id-1',
          private_key: account.privateKey,
          client_email: ACCOUNTS.key,
        }),
        federation: JSON.stringify({ ...external, token_url: `${url}/google/sts` }),
        impersonation: JSON.stringify({
          ...external,
          token_url: `${url}/google/sts/first`,
          service_account_impersonation_url: `${url}/google/impersonate/${ACCOUNTS.other}:generateAccessToken`,
        }),
      };
    },
  };
}

const PROFILES = `
[profile base]
aws_access_key_id = ${PROFILE_KEYS.id}
aws_secret_access_key = ${PROFILE_KEYS.secretAccessKey}

[profile other-account]
role_arn = ${OTHER_ROLE}
external_id = external-1
source_profile = base
region = ${REGION}
`;
const ENTRA_FORM = { grant_type: 'client_credentials', scope: ENTRA_SCOPE };

/** The token that comes with keys of a role. */
export function sessionToken(accessKeyId: string): string {
  return `session-${accessKeyId}`;
}

/** The access token of a request. */
export function bearerOf(headers: ArrivedRequest['headers']): string {
  return headers['authorization']?.toString().replace(/^Bearer /, '') ?? '';
}

type Form = Readonly<Record<string, string>>;

function formOf({ body }: ArrivedRequest): Form {
  return Object.fromEntries(new URLSearchParams(body.toString()));
}

/** The first field of a form that is not as expected. */
function differing(form: Form, expected: Form): string | undefined {
  const wrong = Object.entries(expected).find(([name, value]) => form[name] !== value);
  return wrong && `${wrong[0]} is ${form[wrong[0]]}`;
}

function accessToken(issuer: Issuer, headers: Record<string, string> = {}): CloudAnswer {
  if (!issuer.isUp) return reply(503, {}, headers);
  const { id, untilMs, atMs } = issuer.issue();
  const life = Math.floor((untilMs - atMs) / 1_000);
  const types = { token_type: 'Bearer', issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
  return reply(200, { ...types, access_token: id, expires_in: life }, headers);
}

function invalidGrant(problem: string): CloudAnswer {
  return reply(400, { error: 'invalid_grant', error_description: problem });
}

function invalidClient(problem: string): CloudAnswer {
  return reply(401, { error: 'invalid_client', error_description: `AADSTS700016: ${problem}` });
}

const XML = { 'content-type': 'text/xml' };

function assumedRole(action: string, { id, secret, untilMs }: Issued): CloudAnswer {
  const expiration = new Date(untilMs).toISOString();
  const credentials = `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${sessionToken(id)}</SessionToken><Expiration>${expiration}</Expiration>`;
  const result = `<${action}Result><Credentials>${credentials}</Credentials></${action}Result>`;
  const namespace = 'xmlns="https://sts.amazonaws.com/doc/2011-06-15/"';
  return reply(200, `<${action}Response ${namespace}>${result}</${action}Response>`, XML);
}

function stsError(problem: string | undefined): CloudAnswer {
  const [status, code] = problem === undefined ? [503, 'ServiceUnavailable'] : [400, 'InvalidIdentityToken'];
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${problem}</Message></Error>`;
  return reply(status, `<ErrorResponse>${error}</ErrorResponse>`, XML);
}
