import { allowedBetas } from '@tollgate/protocols/anthropic-messages/client/betas';
import type { ProtocolName } from '@tollgate/protocols/protocol-name';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What a client's own headers come to at the upstream. */
export interface ForwardedHeaders {
  /** Headers for a call in that protocol, beside those of every call. */
  to(upstream: ProtocolName): Record<string, string>;
  /** What is not passed on. */
  warnings: readonly string[];
}

/** Client headers that choose something at a provider; they are not passed on, and that is said. */
const CHOOSING_HEADERS = ['openai-organization', 'openai-project', 'openai-beta'] as const;

/** The version of the messages protocol that translations are written in; clients may leave it out, providers insist. */
const ANTHROPIC_VERSION = '2023-06-01';
const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/** More betas than any client asks for. */
const MAX_BETAS = 50;

const NONE: Record<string, string> = {};

/** Judges the headers of a client: few are passed on, and only to a provider of the protocol they belong to. */
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
      ...CHOOSING_HEADERS.filter((name) => headers[name] !== undefined).map(
        (name) => `header ${name} is not passed on`,
      ),
      ...betas.dropped.map(({ beta, reason }) => `header anthropic-beta: ${beta} is not passed on, since ${reason}`),
    ],
  };
}

/** The names of a header that is a list; of one that was sent several times, of all of them. */
function listOf(value: string | string[] | undefined): string[] {
  const text = Array.isArray(value) ? value.join(',') : (value ?? '');
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, MAX_BETAS);
}
