/** The kind of endpoint that a path belongs to. It decides which credentials are accepted and the shape of errors. */
export type Surface = 'model' | 'messages' | 'generative' | 'billing';

/**
 * The surface of a path (without query), whether or not an endpoint exists there.
 *
 * Generative-native paths are those under `/v1beta/models` and the `:method` forms under `/v1/models/`, which the Python
 * SDK of that protocol calls. Paths under `/v1` are served without it too.
 */
export function surfaceOf(path: string): Surface {
  if (path.startsWith('/v1/billing/') || path === '/v1/billing') return 'billing';
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
