import type { SpanContext } from '@opentelemetry/api';
import { traceparent } from '@tollgate/common/telemetry';
import { AuthScheme, type Provider } from '@tollgate/proto/router';

/**
 * Headers of an upstream call.
 *
 * @param own those that the request itself needs, unless all calls to the provider have another value
 */
export function upstreamHeaders(
  provider: Provider,
  credential: string | undefined,
  span: SpanContext,
  stream: boolean,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    traceparent: traceparent(span),
  };
  if (credential !== undefined) authorize(headers, provider, credential);
  addMissing(headers, provider.headers);
  addMissing(headers, own);
  return headers;
}

function addMissing(headers: Record<string, string>, more: Readonly<Record<string, string>>): void {
  for (const name in more) headers[name] ??= more[name] ?? '';
}

function authorize(headers: Record<string, string>, provider: Provider, credential: string): void {
  switch (provider.authScheme) {
    case AuthScheme.BEARER:
      headers['authorization'] = `Bearer ${credential}`;
      break;
    case AuthScheme.X_API_KEY:
      headers['x-api-key'] = credential;
      break;
    case AuthScheme.X_GOOG_API_KEY:
      headers['x-goog-api-key'] = credential;
      break;
    case AuthScheme.API_KEY:
      headers['api-key'] = credential;
      break;
    // An identity adds its headers to the complete call.
    case AuthScheme.AWS_SIGV4:
    case AuthScheme.GOOGLE:
    case AuthScheme.ENTRA:
    case AuthScheme.NONE:
    case AuthScheme.UNSPECIFIED:
      break;
    default:
      provider.authScheme satisfies never;
  }
}
