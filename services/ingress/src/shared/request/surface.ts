/** The kind of endpoint that a path belongs to. It decides which credentials are accepted and the shape of errors. */
export type Surface = 'model' | 'messages' | 'generative' | 'billing' | 'keys';

/**
 * The surface of a path (without query), whether or not an endpoint exists there.
 *
 * Generative-native paths are those under `/v1beta/models` and the `:method` forms under `/v1/models/`, which the Python
 * SDK of that protocol calls. Paths under `/v1` are served without it too.
 */
export function surfaceOf(path: string): Surface {
  if (path.startsWith('/v1/billing/') || path === '/v1/billing') return 'billing';
  if (path === '/v1/keys') return 'keys';
  if (path.startsWith('/v1beta/models/') || path === '/v1beta/models') return 'generative';
  if (UNDER_MODELS.test(path) && namesGenerativeMethod(path)) return 'generative';
  if (UNDER_MESSAGES.test(path)) return 'messages';
  return 'model';
}

const UNDER_MODELS = /^(?:\/v1)?\/models\//;
const UNDER_MESSAGES = /^(?:\/v1)?\/messages(?:\/|$)/;

/** Whether a path ends in one of the generative protocol's methods, after its last colon. */
export function namesGenerativeMethod(path: string): boolean {
  const colon = path.lastIndexOf(':');
  return colon !== -1 && GENERATIVE_METHODS.has(path.slice(colon + 1));
}

const GENERATIVE_METHODS = new Set([
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
]);

/** The headers in which a surface accepts a key, for error messages. */
export function acceptedHeaders(surface: Surface): string {
  const always = 'Authorization: Bearer <API_KEY>, x-api-key: <API_KEY>';
  return surface === 'generative' ? `${always}, x-goog-api-key: <API_KEY>` : always;
}

const OPENAI_PATHS = /^(?:\/v1)?\/(chat\/completions|responses|embeddings)(?:\/|$)/;

/** The protocol of the endpoint at a path, by the name that records have; empty for a path without a protocol of its own. */
export function protocolOfPath(path: string, surface: Surface): string {
  switch (surface) {
    case 'messages':
      return 'anthropic-messages';
    case 'generative':
      return /:(?:batchEmbedContents|embedContent)$/.test(path) ? 'gemini-embeddings' : 'gemini';
    case 'model':
      return openaiProtocol(OPENAI_PATHS.exec(path)?.[1]);
    case 'billing':
    case 'keys':
      return '';
    default:
      return surface satisfies never;
  }
}

function openaiProtocol(endpoint: string | undefined): string {
  switch (endpoint) {
    case 'chat/completions':
      return 'openai-chat';
    case 'responses':
      return 'openai-responses';
    case 'embeddings':
      return 'openai-embeddings';
    default:
      return '';
  }
}

const BATCHES = 'Batches are not supported. Send each request on its own.';
const ONLY_TEXT = 'Only text generation and embeddings are supported.';

/**
 * Calls of official SDKs that the gateway does not support, by their first word, and what to use instead. They include
 * everything that stores data at a provider, since all accounts share the provider's account.
 * `docs/reference/endpoints.md` lists them.
 */
const UNSUPPORTED_WORDS: readonly (readonly [reason: string, words: string])[] = [
  ['Conversations are not stored. Send the items of earlier turns in input.', 'conversations'],
  [BATCHES, 'batches batchPredictionJobs'],
  ['Files are not stored. Send their content in the request.', 'files uploads'],
  ['Cached contents are not stored. Send the content in the request.', 'cachedContents'],
  ['Legacy completions are not supported. Use /v1/chat/completions.', 'completions'],
  ['Interactions are not supported. Use /v1beta/models/{model}:generateContent.', 'interactions'],
  [ONLY_TEXT, 'images audio videos voices moderations rerank decisions content_provenance_checks'],
  ['Live sessions are not supported. Use streams, or a WebSocket on /v1/responses.', 'realtime live auth_tokens ws'],
  [
    'Objects that are stored at a provider are not supported.',
    'assistants threads vector_stores fileSearchStores containers skills chatkit vaults credentials memory_stores agents ' +
      'sessions environments deployments deployment_runs dreams tunnels triggers webhooks webhook_endpoints ' +
      'webhook_event_types fine_tuning tuningJobs tunedModels evals operations user_profiles',
  ],
  ['Use GET /v1/billing/balance.', 'credits'],
  ['Use GET /v1/billing/requests/{request_id}.', 'generation'],
  ['Use GET /v1/billing/usage.', 'activity'],
  [
    'Accounts, people and keys are managed in the console. Use POST /v1/keys for a key below this one, and GET /v1/billing/balance for the balance.',
    'key keys auth organization organizations projects compliance safety',
  ],
];

const REASON_OF = new Map(
  UNSUPPORTED_WORDS.flatMap(([reason, words]) => words.split(' ').map((word) => [word, reason] as const)),
);

/** Unsupported calls that begin with the first word of a supported one. */
const UNSUPPORTED_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^responses\/[^/]+/, 'Responses are not stored. Send the items of earlier turns in input.'],
  [/^chat\/completions\/[^/]+/, 'Chat completions are not stored.'],
  [/^messages\/batches\b|:(?:batchGenerateContent|asyncBatchEmbedContent)$/, BATCHES],
  [/:(?:predict|predictLongRunning)$/, ONLY_TEXT],
  [/:computeTokens$/, 'Use :countTokens.'],
];

/** What precedes a call's first word. SDKs of OpenAI leave the version to the base URL. */
const PREFIX = /^(?:\/upload)?(?:\/v[12](?:alpha|beta)?)?\//;

/** Why a path that an SDK may call is not supported; undefined for an unknown path. */
export function unsupportedReason(path: string): string | undefined {
  const call = path.replace(PREFIX, '');
  const [word = ''] = /^\w*/.exec(call) ?? [];
  return REASON_OF.get(word) ?? UNSUPPORTED_PATHS.find(([pattern]) => pattern.test(call))?.[1];
}
