import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { at } from '../gateway/json.ts';
import { type CloudAnswer, type CloudStandIn, startCloud } from './stand-in.ts';
import { type ArrivedRequest, signatureProblem } from './verify-sigv4.ts';

export const AZURE_KEY = 'azure-key-for-tests';
export const ENTRA = { tenant: 'tenant-1', clientId: 'client-1', scope: 'https://ai.azure.com/.default' };
export const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
export const REGION = 'eu-west-1';

/** A short-lived credential that a cloud issued. */
interface Issued {
  id: string;
  secret: string;
  atMs: number;
  untilMs: number;
}

/** The credentials of one cloud: issues new ones that are valid for a time, and can refuse to. */
class Issuer {
  readonly issued: Issued[] = [];
  lifeMs = 3_600_000;
  /** Whether it answers at all. */
  isUp = true;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  issue(): Issued {
    const atMs = Date.now();
    const id = `${this.#name}${this.issued.length}${randomBytes(6).toString('hex').toUpperCase()}`;
    const credential = { id, secret: randomBytes(24).toString('base64url'), atMs, untilMs: atMs + this.lifeMs };
    this.issued.push(credential);
    return credential;
  }

  valid(id: string): Issued | undefined {
    return this.issued.find((credential) => credential.id === id && Date.now() < credential.untilMs);
  }

  /** Ends the validity of everything issued, as when it is revoked. */
  revoke(): void {
    for (const credential of this.issued) credential.untilMs = 0;
  }
}

/** Azure, Bedrock and Vertex AI: they check credentials, and answer as the simulated provider. */
export interface Clouds extends CloudStandIn {
  aws: Issuer;
  google: Issuer;
  entra: Issuer;
  /** The ingress's environment, as the clouds inject it. */
  env: Record<string, string>;
}

/** @param tokenFile a file with the token that Kubernetes projects, `projected-token` */
export async function startClouds(simulatorUrl: () => string, tokenFile: string): Promise<Clouds> {
  const [aws, google, entra] = [new Issuer('ASIA'), new Issuer('ya29.'), new Issuer('eyJentra')];
  const bedrock = (service: string, prefix: string) => (request: ArrivedRequest) => {
    const problem = signatureProblem(request, {
      region: REGION,
      service,
      keys: (id) => {
        const credential = aws.valid(id);
        return credential && { secretAccessKey: credential.secret, sessionToken: `session-${credential.id}` };
      },
      nowMs: Date.now(),
    });
    if (problem !== undefined) return reply(403, { message: `The security token is not valid: ${problem}` });
    return forward(request, prefix);
  };
  const standIn = await startCloud(simulatorUrl, {
    '/aws/container': ({ headers }) => {
      if (!aws.isUp || headers['authorization'] !== 'projected-token') return reply(500, {});
      const { id, secret, untilMs } = aws.issue();
      const body = { AccessKeyId: id, SecretAccessKey: secret, Token: `session-${id}` };
      return reply(200, { ...body, Expiration: new Date(untilMs).toISOString() });
    },
    '/computeMetadata/': ({ url, headers }) => {
      if (headers['metadata-flavor'] !== 'Google') return reply(403, {});
      const flavor = { 'metadata-flavor': 'Google' };
      if (!url.includes('/service-accounts/default/token')) return reply(200, 'project-1', flavor);
      if (!google.isUp || new URL(url, 'http://m').searchParams.get('scopes') !== GOOGLE_SCOPE) return reply(500, {});
      const { id, untilMs, atMs } = google.issue();
      return reply(200, { access_token: id, expires_in: Math.floor((untilMs - atMs) / 1_000) }, flavor);
    },
    [`/${ENTRA.tenant}/oauth2/v2.0/token`]: ({ body }) => {
      const form = Object.fromEntries(new URLSearchParams(body.toString()));
      const isKnown =
        form['grant_type'] === 'client_credentials' &&
        form['client_id'] === ENTRA.clientId &&
        form['client_assertion_type'] === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' &&
        form['client_assertion'] === 'projected-token' &&
        form['scope'] === ENTRA.scope;
      if (!isKnown || !entra.isUp) {
        return reply(401, { error: 'invalid_client', error_description: 'AADSTS700016: Application not found.' });
      }
      const { id, untilMs, atMs } = entra.issue();
      return reply(200, {
        token_type: 'Bearer',
        access_token: id,
        expires_in: Math.floor((untilMs - atMs) / 1_000),
      });
    },
    '/azure-key/': (request) =>
      request.headers['api-key'] === AZURE_KEY && request.headers['authorization'] === undefined
        ? forward(request, '/azure-key/openai')
        : reply(401, { error: { code: '401', message: 'Access denied due to invalid subscription key.' } }),
    '/azure-entra/openai/': (request) => withToken(request, entra, () => forward(request, '/azure-entra/openai')),
    '/azure-entra/anthropic/': (request) => withToken(request, entra, () => forward(request, '/azure-entra/anthropic')),
    '/bedrock/': bedrock('bedrock', '/bedrock/openai'),
    '/mantle/anthropic/': bedrock('bedrock-mantle', '/mantle/anthropic'),
    '/mantle/': bedrock('bedrock-mantle', '/mantle'),
    '/vertex/': (request) => withToken(request, google, () => vertex(request)),
  });
  const host = new URL(standIn.url).host;
  return {
    ...standIn,
    aws,
    google,
    entra,
    env: {
      TEST_AZURE_KEY: AZURE_KEY,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${standIn.url}/aws/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
      GCE_METADATA_HOST: host,
      METADATA_SERVER_DETECTION: 'assume-present',
      AZURE_AUTHORITY_HOST: `${standIn.url}/`,
      AZURE_TENANT_ID: ENTRA.tenant,
      AZURE_CLIENT_ID: ENTRA.clientId,
      AZURE_FEDERATED_TOKEN_FILE: tokenFile,
    },
  };
}

function reply(status: number, body: unknown, headers: Record<string, string> = {}): CloudAnswer {
  return { kind: 'reply', status, body, headers };
}

function forward({ url }: ArrivedRequest, prefix: string): CloudAnswer {
  return { kind: 'forward', path: url.slice(prefix.length) };
}

function withToken({ headers }: ArrivedRequest, issuer: Issuer, answer: () => CloudAnswer): CloudAnswer {
  const token = headers['authorization']?.toString().replace(/^Bearer /, '') ?? '';
  if (issuer.valid(token) !== undefined) return answer();
  return reply(401, { error: { code: 401, status: 'UNAUTHENTICATED', message: 'Request had invalid credentials.' } });
}

const VERTEX = '/vertex/v1/projects/project-1/locations/global';

/** Vertex AI names the model in the path. */
function vertex({ url, body }: ArrivedRequest): CloudAnswer {
  const [, publisher, model = '', method = ''] =
    /\/publishers\/(google|anthropic)\/models\/([^:/]+):(\w+)(?:\?alt=sse)?$/.exec(url) ?? [];
  if (publisher === 'google') {
    return { kind: 'forward', path: `/v1beta/models/${model}:${method}${url.includes('?') ? '?alt=sse' : ''}` };
  }
  if (publisher === undefined) return { kind: 'forward', path: url.replace(`${VERTEX}/endpoints/openapi`, '/v1') };
  const fields: unknown = JSON.parse(body.toString());
  const isCount = model === 'count-tokens';
  const expectedMethod = at(fields, 'stream') === true ? 'streamRawPredict' : 'rawPredict';
  const problem =
    at(fields, 'anthropic_version') !== 'vertex-2023-10-16'
      ? 'anthropic_version: Field required'
      : (at(fields, 'model') === undefined) === isCount
        ? 'model: Extra inputs are not permitted'
        : method === expectedMethod
          ? undefined
          : 'stream does not match the method';
  if (problem !== undefined) {
    return reply(400, { type: 'error', error: { type: 'invalid_request_error', message: problem } });
  }
  const { anthropic_version: _version, ...rest } = Object(fields);
  const path = isCount ? '/v1/messages/count_tokens' : '/v1/messages';
  return { kind: 'forward', path, body: Buffer.from(JSON.stringify(isCount ? rest : { ...rest, model })) };
}

const PRICE = { input: 2, output: 10 };

/** A model of the test's catalogue. */
function model(id: string, provider: string, fields: object = {}) {
  const limits = { context_window: 200_000, max_output_tokens: 8_192 };
  return { id, ...limits, price: PRICE, deployments: [{ provider, model: 'sim-upstream-1' }], ...fields };
}

/** A catalogue of all clouds at one address: each provider has a model of its name. */
export function cloudCatalogue(url: string): string {
  const vertexUrl = `${url}${VERTEX}`;
  const mantle = { auth: 'aws-sigv4', cloud: { region: REGION, service: 'bedrock-mantle' } };
  const providers = [
    { id: 'azure-chat', protocol: 'openai-chat', base_url: `${url}/azure-key/openai/v1`, auth: 'api-key' },
    { id: 'azure-responses', protocol: 'openai-responses', base_url: `${url}/azure-key/openai/v1`, auth: 'api-key' },
    { id: 'azure-entra', protocol: 'openai-chat', base_url: `${url}/azure-entra/openai/v1`, auth: 'entra' },
    { id: 'foundry', protocol: 'anthropic-messages', base_url: `${url}/azure-entra/anthropic/v1`, auth: 'entra' },
    {
      id: 'bedrock',
      protocol: 'openai-chat',
      base_url: `${url}/bedrock/openai/v1`,
      auth: 'aws-sigv4',
      cloud: { region: REGION },
    },
    { id: 'mantle-messages', protocol: 'anthropic-messages', base_url: `${url}/mantle/anthropic/v1`, ...mantle },
    { id: 'mantle-chat', protocol: 'openai-chat', base_url: `${url}/mantle/v1`, ...mantle },
    { id: 'mantle-responses', protocol: 'openai-responses', base_url: `${url}/mantle/v1`, ...mantle },
    { id: 'vertex-gemini', protocol: 'gemini', base_url: `${vertexUrl}/publishers/google`, auth: 'google' },
    {
      id: 'vertex-claude',
      protocol: 'anthropic-messages',
      base_url: `${vertexUrl}/publishers/anthropic`,
      auth: 'google',
      request_form: 'raw-predict',
    },
    { id: 'vertex-openai', protocol: 'openai-chat', base_url: `${vertexUrl}/endpoints/openapi`, auth: 'google' },
  ].map((entry) => ({ ...entry, ...(entry.auth === 'api-key' && { api_key: { env: 'TEST_AZURE_KEY' } }) }));
  return JSON.stringify({
    version: 1,
    providers,
    models: [
      ...providers.map(({ id }) => model(id, id)),
      model('fallback', 'bedrock', {
        deployments: ['bedrock', 'azure-chat'].map((provider, priority) => ({
          id: `fallback@${provider}`,
          provider,
          priority,
          model: 'sim-upstream-1',
        })),
      }),
    ],
  });
}

/** A key of a service account, as Google's console downloads it. */
export function serviceAccountKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return JSON.stringify({
    type: 'service_account',
    project_id: 'project-1',
    private_key_id: 'id-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'gateway@project-1.iam.gserviceaccount.com',
  });
}
