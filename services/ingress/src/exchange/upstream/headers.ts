import type { SpanContext } from '@opentelemetry/api';
import { traceparent } from '@tollgate/common/telemetry';
import { AuthScheme, Protocol, type Provider } from '@tollgate/proto/router';
import { allowedBetas, type BetaChoice } from '@tollgate/protocols/anthropic-messages/client/betas';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';

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

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The client headers that are forwarded to providers. */
export interface ForwardedHeaders {
  to(provider: Pick<Provider, 'protocol' | 'betas'>): ProviderHeaders;
  /** Headers that are forwarded to no provider. */
  warnings: readonly string[];
}

/** What is forwarded to one provider. */
export interface ProviderHeaders {
  /** In addition to the headers of every call. */
  headers: Record<string, string>;
  /** Betas that are not forwarded. */
  warnings: readonly string[];
  /** Fields of the body that are left out with them. */
  leftOut: readonly string[];
}

/** Client headers that select something at a provider. They are not forwarded, with a warning. */
const SELECTING_HEADERS = ['openai-organization', 'openai-project', 'openai-beta'] as const;

/** The version of the messages protocol that translations produce. Providers require it, clients need not send it. */
const ANTHROPIC_VERSION = '2023-06-01';
const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/** More betas than any client sends. */
const MAX_BETAS = 50;

const NONE: ProviderHeaders = { headers: {}, warnings: [], leftOut: [] };

/** Selects the headers to forward: few, and only to a provider of the client's protocol. */
export function forwardedHeaders(headers: Headers, client: ProtocolName): ForwardedHeaders {
  const betas = client === 'anthropic-messages' ? listOf(headers['anthropic-beta']) : [];
  const given = client === 'anthropic-messages' ? headers['anthropic-version'] : undefined;
  const version = typeof given === 'string' && VERSION.test(given) ? given : ANTHROPIC_VERSION;
  const chosen = new Map<Provider['betas'], ProviderHeaders>();
  return {
    to: ({ protocol, betas: rules }) => {
      if (protocol !== Protocol.ANTHROPIC_MESSAGES) return NONE;
      const known = chosen.get(rules);
      if (known !== undefined) return known;
      const forwarded = messagesHeaders(version, allowedBetas(betas, rules));
      chosen.set(rules, forwarded);
      return forwarded;
    },
    warnings: SELECTING_HEADERS.filter((name) => headers[name] !== undefined).map(
      (name) => `header ${name} is not passed on`,
    ),
  };
}

function messagesHeaders(version: string, { pass, dropped, leftOut }: BetaChoice): ProviderHeaders {
  return {
    headers: { 'anthropic-version': version, ...(pass.length > 0 && { 'anthropic-beta': pass.join(',') }) },
    warnings: dropped.map(({ beta, reason }) => `header anthropic-beta: ${beta} is not passed on, since ${reason}`),
    leftOut,
  };
}

/** The names in a list header, which may have been sent several times. */
function listOf(value: string | string[] | undefined): string[] {
  const text = Array.isArray(value) ? value.join(',') : (value ?? '');
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, MAX_BETAS);
}
