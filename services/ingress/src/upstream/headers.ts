import type { SpanContext } from '@opentelemetry/api';
import { traceparent } from '@tollgate/common/telemetry';
import { AuthScheme, type Provider } from '@tollgate/proto/router';

/** Headers of every upstream call. None of them comes from the client. */
export function upstreamHeaders(
  provider: Provider,
  credential: string | undefined,
  span: SpanContext,
  stream: boolean,
): Record<string, string> {
  const headers: Record<string, string> = {
    ...provider.headers,
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    traceparent: traceparent(span),
  };
  if (credential === undefined) return headers;
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
  return headers;
}
