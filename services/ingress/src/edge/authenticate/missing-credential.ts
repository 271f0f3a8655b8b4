import type { IncomingHttpHeaders } from 'node:http';
import { acceptedHeaders, type Surface } from '../../shared/request/surface.ts';
import { unsupportedReason } from '../../shared/request/unsupported-paths.ts';

const MODEL_LISTS = /^(?:\/v1)?\/models(?:\/|$)/;

/** What to tell a client that sent no accepted credential; its path and headers are known, nothing else. */
export function missingCredentialMessage(surface: Surface, path: string, headers: IncomingHttpHeaders): string {
  const sentGoogleKey = headers['x-goog-api-key'] !== undefined;
  return [
    sentGoogleKey
      ? 'This endpoint does not accept x-goog-api-key, which is for /v1beta/models and the methods of models.'
      : 'No API key was sent.',
    `Send one of these headers: ${acceptedHeaders(surface)}.`,
    unsupportedReason(path) ?? (sentGoogleKey && MODEL_LISTS.test(path) ? V1BETA : ''),
  ]
    .join(' ')
    .trimEnd();
}

/** Google's SDKs list models under `/v1` by default, where the list is OpenAI's and Anthropic's. */
const V1BETA = "Google's SDKs list models with apiVersion: 'v1beta', in Python api_version='v1beta'.";
