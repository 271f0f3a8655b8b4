import type { ProtocolName } from '@tollgate/protocols/protocol-name';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What a client's own headers come to at the upstream. */
export interface PassedHeaders {
  /** Headers for a call in that protocol, beside those of every call. */
  to(upstream: ProtocolName): Record<string, string>;
  /** What is not passed on. */
  warnings: readonly string[];
}

/** Client headers that choose something at a provider; they are not passed on, and that is said. */
const CHOOSING_HEADERS = ['openai-organization', 'openai-project', 'openai-beta'] as const;

/** The version of the messages protocol; clients may leave it out, providers insist. */
const ANTHROPIC_VERSION = '2023-06-01';

const NONE: Record<string, string> = {};
const MESSAGES: Record<string, string> = { 'anthropic-version': ANTHROPIC_VERSION };

/** Judges a client's headers: few are passed on, and only to a provider of the protocol they belong to. */
export function passedHeaders(headers: Headers): PassedHeaders {
  return {
    to: (upstream) => (upstream === 'anthropic-messages' ? MESSAGES : NONE),
    warnings: CHOOSING_HEADERS.filter((name) => headers[name] !== undefined).map(
      (name) => `header ${name} is not passed on`,
    ),
  };
}
