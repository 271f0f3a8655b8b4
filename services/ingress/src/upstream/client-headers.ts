import { allowedBetas } from '@tollgate/protocols/anthropic-messages/client/betas';
import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The client headers that are forwarded to a provider. */
export interface ForwardedHeaders {
  /** Headers for a call in a protocol, in addition to those of every call. */
  to(upstream: ProtocolName): Record<string, string>;
  /** Headers that are not forwarded. */
  warnings: readonly string[];
}

/** Client headers that select something at a provider. They are not forwarded, with a warning. */
const SELECTING_HEADERS = ['openai-organization', 'openai-project', 'openai-beta'] as const;

/** The version of the messages protocol that translations produce. Providers require it, clients need not send it. */
const ANTHROPIC_VERSION = '2023-06-01';
const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/** More betas than any client sends. */
const MAX_BETAS = 50;

const NONE: Record<string, string> = {};

/** Selects the headers to forward: few, and only to a provider of the client's protocol. */
export function forwardedHeaders(headers: Headers, client: ProtocolName): ForwardedHeaders {
  const betas = allowedBetas(client === 'anthropic-messages' ? listOf(headers['anthropic-beta']) : []);
  const version = client === 'anthropic-messages' ? headers['anthropic-version'] : undefined;
  const messages: Record<string, string> = {
    'anthropic-version': typeof version === 'string' && VERSION.test(version) ? version : ANTHROPIC_VERSION,
    ...(betas.pass.length === 0 ? {} : { 'anthropic-beta': betas.pass.join(',') }),
  };
  return {
    to: (upstream) => (upstream === 'anthropic-messages' ? messages : NONE),
    warnings: [
      ...SELECTING_HEADERS.filter((name) => headers[name] !== undefined).map(
        (name) => `header ${name} is not passed on`,
      ),
      ...betas.dropped.map(({ beta, reason }) => `header anthropic-beta: ${beta} is not passed on, since ${reason}`),
    ],
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
