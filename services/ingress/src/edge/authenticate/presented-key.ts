import type { IncomingHttpHeaders } from 'node:http';
import { acceptedHeaders, type Surface, unsupportedReason } from '../../shared/request/surface.ts';

/** The credential of a request: none, or the text given as a key and the header it came in. */
export type PresentedKey = { kind: 'missing' } | { kind: 'bearer' | 'header'; text: string };

const MISSING: PresentedKey = { kind: 'missing' };
const BEARER = 'bearer';

/**
 * Which credential decides: the first of `Authorization: Bearer`, `x-api-key` and, on generative-native paths only,
 * `x-goog-api-key`. Other schemes of `Authorization` are ignored. A header that is present counts even if it is empty.
 */
export function presentedKey(headers: IncomingHttpHeaders, generative: boolean): PresentedKey {
  const bearer = bearerToken(headers.authorization);
  if (bearer !== undefined) return { kind: 'bearer', text: bearer };
  const text = single(headers['x-api-key']) ?? (generative ? single(headers['x-goog-api-key']) : undefined);
  return text === undefined ? MISSING : { kind: 'header', text };
}

function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.slice(0, BEARER.length).toLowerCase() !== BEARER) return undefined;
  const rest = authorization.slice(BEARER.length);
  if (rest !== '' && rest.charAt(0) !== ' ' && rest.charAt(0) !== '\t') return undefined;
  return rest.trim();
}

/** A header sent several times is one text that no key can be. */
function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header?.trim();
}

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
