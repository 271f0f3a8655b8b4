import { REGION, SECRET_APPLICATION } from './token-services.ts';

/** Path of a project on the stand-in of Vertex AI. */
export const VERTEX = '/vertex/v1/projects/project-1/locations/global';

const PRICE = { input: 2, output: 10 };
/** Where the key of a way to send credentials is; absent for identities. */
const KEYS: Readonly<Record<string, object>> = {
  'api-key': { api_key: { env: 'TEST_AZURE_KEY' } },
  bearer: { api_key: { env: 'TEST_BEDROCK_KEY' } },
};

/** A model of the test's catalogue. */
function model(id: string, provider: string, fields: object = {}) {
  const limits = { context_window: 200_000, max_output_tokens: 8_192 };
  return { id, ...limits, price: PRICE, deployments: [{ provider, model: 'sim-upstream-1' }], ...fields };
}

/** A catalogue of all clouds at one address: each provider has a model of its name. */
export function cloudCatalogue(url: string): string {
  const vertexUrl = `${url}${VERTEX}`;
  const runtime = { auth: 'aws-sigv4', cloud: { region: REGION } };
  const mantle = { auth: 'aws-sigv4', cloud: { region: REGION, service: 'bedrock-mantle' } };
  const providers = [
    { id: 'azure-chat', protocol: 'openai-chat', base_url: `${url}/azure-key/openai/v1`, auth: 'api-key' },
    { id: 'azure-responses', protocol: 'openai-responses', base_url: `${url}/azure-key/openai/v1`, auth: 'api-key' },
    { id: 'azure-entra', protocol: 'openai-chat', base_url: `${url}/azure-entra/openai/v1`, auth: 'entra' },
    { id: 'foundry', protocol: 'anthropic-messages', base_url: `${url}/azure-entra/anthropic/v1`, auth: 'entra' },
    { id: 'bedrock', protocol: 'openai-chat', base_url: `${url}/bedrock/openai/v1`, ...runtime },
    { id: 'bedrock-responses', protocol: 'openai-responses', base_url: `${url}/bedrock/openai/v1`, ...runtime },
    { id: 'bedrock-messages', protocol: 'anthropic-messages', base_url: `${url}/bedrock/anthropic/v1`, ...runtime },
    { id: 'bedrock-key', protocol: 'openai-chat', base_url: `${url}/bedrock/openai/v1`, auth: 'bearer' },
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
  ].map((entry) => ({ ...entry, ...KEYS[entry.auth] }));
  return JSON.stringify({
    version: 1,
    providers,
    models: [
      // A cloud that is called with a bearer key is not known as one.
      ...providers.map(({ id, auth }) => model(id, id, auth === 'bearer' ? { on_disconnect: 'drain' } : {})),
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

/**
 * A catalogue with a model for each identity, under its name.
 *
 * @param googleFiles paths of the files with the configurations for Google
 */
export function identityCatalogue(
  url: string,
  googleFiles: Readonly<Record<'serviceAccountKey' | 'federation' | 'impersonation', string>>,
): string {
  const aws = { protocol: 'openai-chat', base_url: `${url}/bedrock/openai/v1`, auth: 'aws-sigv4' };
  const google = { protocol: 'openai-chat', base_url: `${url}${VERTEX}/endpoints/openapi`, auth: 'google' };
  const entra = { protocol: 'openai-chat', base_url: `${url}/azure-entra/openai/v1`, auth: 'entra' };
  const providers = [
    { id: 'webIdentity', ...aws, cloud: { region: REGION } },
    { id: 'assumedRole', ...aws, cloud: { region: REGION, profile: 'other-account' } },
    { id: 'metadataServer', ...google },
    ...Object.entries(googleFiles).map(([id, file]) => ({ id, ...google, api_key: { file } })),
    { id: 'federatedApplication', ...entra },
    { id: 'applicationSecret', ...entra, cloud: SECRET_APPLICATION, api_key: { env: 'TEST_CLIENT_SECRET' } },
  ];
  return JSON.stringify({ version: 1, providers, models: providers.map(({ id }) => model(id, id)) });
}
