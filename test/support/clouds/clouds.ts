import { readFileSync } from 'node:fs';
import { at } from '../gateway/json.ts';
import { makeCertificate } from '../stores/certificate.ts';
import { VERTEX } from './catalogue.ts';
import type { Issuer } from './issuer.ts';
import { type CloudAnswer, type CloudEndpoints, type CloudStandIn, reply, startCloud } from './stand-in.ts';
import { bearerOf, REGION, sessionToken, type TokenServices, tokenServices } from './token-services.ts';
import { type ArrivedRequest, signatureProblem } from './verify-sigv4.ts';

const AZURE_KEY = 'azure-key-for-tests';
const BEDROCK_KEY = 'bedrock-key-for-tests';

/** Azure, Bedrock and Vertex AI: they check credentials, and answer as the simulated provider. */
export interface Clouds extends CloudStandIn, Pick<TokenServices, 'identities' | 'projectTokens'> {
  /** The ingress's environment, as the clouds inject it, apart from `aws`. */
  env: Record<string, string>;
  aws: ReturnType<TokenServices['aws']>;
  googleFiles: ReturnType<TokenServices['googleFiles']>;
}

/** Answers requests whose credentials are right, in place of the simulated provider. */
export type PlayCloud = (request: ArrivedRequest) => CloudAnswer;

/** @param folder for projected tokens, a certificate and AWS's profiles */
export async function startClouds(simulatorUrl: () => string, folder: string, play?: PlayCloud): Promise<Clouds> {
  const services = tokenServices(folder);
  const { podIdentity, webIdentity, assumedRole } = services.identities;
  const { metadataServer, serviceAccountKey, federation, impersonation } = services.identities;
  const { federatedApplication, applicationSecret } = services.identities;
  const google = [metadataServer, serviceAccountKey, federation, impersonation];
  const entra = [federatedApplication, applicationSecret];
  const bedrock = (service: string, prefix: string) => (request: ArrivedRequest) => {
    if (bearerOf(request.headers) === BEDROCK_KEY) return forward(request, prefix);
    const problem = signatureProblem(request, {
      region: REGION,
      service,
      keys: (id) => {
        const credential = validOf([podIdentity, webIdentity, assumedRole], id);
        return credential && { secretAccessKey: credential.secret, sessionToken: sessionToken(credential.id) };
      },
      nowMs: Date.now(),
    });
    if (problem !== undefined) return reply(403, { message: `The security token is not valid: ${problem}` });
    return forward(request, prefix);
  };
  const certificate = makeCertificate(folder, ['oauth2.googleapis.com']);
  const endpoints: CloudEndpoints = {
    ...services.endpoints,
    '/azure-key/': (request) =>
      request.headers['api-key'] === AZURE_KEY && request.headers['authorization'] === undefined
        ? forward(request, '/azure-key/openai')
        : reply(401, { error: { code: '401', message: 'Access denied due to invalid subscription key.' } }),
    '/azure-entra/openai/': (request) => withToken(request, entra, () => forward(request, '/azure-entra/openai')),
    '/azure-entra/anthropic/': (request) => withToken(request, entra, () => forward(request, '/azure-entra/anthropic')),
    '/bedrock/anthropic/': bedrock('bedrock', '/bedrock/anthropic'),
    '/bedrock/': bedrock('bedrock', '/bedrock/openai'),
    '/mantle/anthropic/': bedrock('bedrock-mantle', '/mantle/anthropic'),
    '/mantle/': bedrock('bedrock-mantle', '/mantle'),
    '/vertex/': (request) => withToken(request, google, () => vertex(request)),
  };
  const played = Object.entries(endpoints).map(([path, answer]) => [
    path,
    (request: ArrivedRequest) => {
      const given = answer(request);
      return given.kind === 'forward' && play !== undefined ? play(request) : given;
    },
  ]);
  const standIn = await startCloud(simulatorUrl, Object.fromEntries(played), {
    key: readFileSync(certificate.key),
    cert: readFileSync(certificate.cert),
  });
  const { url } = standIn;
  return {
    ...standIn,
    identities: services.identities,
    projectTokens: services.projectTokens,
    env: {
      TEST_AZURE_KEY: AZURE_KEY,
      TEST_BEDROCK_KEY: BEDROCK_KEY,
      NODE_EXTRA_CA_CERTS: certificate.cert,
      ...services.env(url),
    },
    aws: services.aws(url),
    googleFiles: services.googleFiles(url),
  };
}

function forward({ url }: ArrivedRequest, prefix: string): CloudAnswer {
  return { kind: 'forward', path: url.slice(prefix.length) };
}

function validOf(issuers: readonly Issuer[], id: string) {
  return issuers.map((issuer) => issuer.valid(id)).find((credential) => credential !== undefined);
}

function withToken(request: ArrivedRequest, issuers: readonly Issuer[], answer: () => CloudAnswer): CloudAnswer {
  if (validOf(issuers, bearerOf(request.headers)) !== undefined) return answer();
  return reply(401, { error: { code: 401, status: 'UNAUTHENTICATED', message: 'Request had invalid credentials.' } });
}

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
