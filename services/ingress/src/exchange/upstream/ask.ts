import type { SpanContext } from '@opentelemetry/api';
import type { Route } from '../../shared/catalogue/route-table.ts';
import type { Pause } from '../../shared/scheduling.ts';
import { type CredentialSources, credentialsFor, identityHeaders } from '../credentials/credentials.ts';
import type { UpstreamClient, UpstreamHeaders, UpstreamRequest } from './call.ts';
import type { UpstreamFailure } from './failure.ts';
import { upstreamHeaders } from './headers.ts';

/** What calls of providers take. */
export interface ProviderAccess extends CredentialSources {
  upstream: UpstreamClient;
}

/** A call that belongs to no exchange. */
export interface Question {
  /** Under the provider's base URL. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  isStream: boolean;
  span: SpanContext;
  /** The total limits the call. */
  timeouts: UpstreamRequest['timeouts'];
  /** Of the response. */
  maxBytes: number;
  /** Pauses while a large body is signed. */
  pause: Pause;
}

/** The complete response; or why there is none, `unauthorized` where the call was not made. */
export type Reply =
  | { kind: 'response'; status: number; headers: UpstreamHeaders; body: Buffer }
  | { kind: 'failed'; failure: UpstreamFailure }
  | { kind: 'unauthorized'; cause: 'credential_refused' | 'no_credential'; detail: string };

/**
 * Calls a deployment's provider with the first credential. Nothing is tried again, charged, or reported to the router.
 */
export async function askProvider(
  access: ProviderAccess,
  route: Route,
  { path, headers, body, isStream, span, timeouts, maxBytes, pause }: Question,
): Promise<Reply> {
  const [credential = { kind: 'none' as const }] = credentialsFor(access, route);
  if (credential.kind === 'missing') {
    return { kind: 'unauthorized', cause: 'credential_refused', detail: credential.detail };
  }
  const secret = credential.kind === 'found' ? credential.value : undefined;
  const call = {
    origin: route.origin,
    path: route.basePath + path,
    headers: upstreamHeaders(route.provider, secret, span, isStream, headers),
    body,
  };
  const authorization = await identityHeaders(credential, { ...call, pause });
  if (authorization.kind === 'missing') {
    return { kind: 'unauthorized', cause: 'no_credential', detail: authorization.detail };
  }
  const signed = { ...call, headers: { ...call.headers, ...authorization.headers } };
  return collectResponse(access.upstream, { ...signed, timeouts, totalMs: timeouts.totalMs }, maxBytes);
}

/** Makes a call and reads its complete response, of at most `maxBytes`. */
function collectResponse(upstream: UpstreamClient, request: UpstreamRequest, maxBytes: number): Promise<Reply> {
  return new Promise((resolve) => {
    const failed = (failure: UpstreamFailure) => resolve({ kind: 'failed', failure });
    const call = upstream.call(request, {
      failed,
      head: (status, headers) => {
        const chunks: Buffer[] = [];
        let size = 0;
        return {
          data: (chunk) => {
            size += chunk.length;
            if (size <= maxBytes) {
              chunks.push(chunk);
              return;
            }
            call.abort();
            failed({ kind: 'malformed', detail: `the response is larger than ${maxBytes} bytes` });
          },
          end: () => resolve({ kind: 'response', status, headers, body: Buffer.concat(chunks) }),
          failed,
        };
      },
    });
  });
}
