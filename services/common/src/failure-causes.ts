import type { Explanation } from './explanation.ts';

/**
 * Why a call to a provider failed: a closed list, recorded by the ingress with the charge of a request. It stands in for the
 * provider's own words, which may quote the prompt.
 */
export const FAILURE_CAUSES = [
  'timeout',
  'unreachable',
  'reset',
  'server_error',
  'rate_limited',
  'credential',
  'model_unknown',
  'malformed',
  'refused',
  'context_exceeded',
  'response_too_large',
  'overloaded',
  'stopping',
] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/** The text of each cause. */
export const FAILURE_TEXTS: Readonly<Record<FailureCause, Explanation>> = {
  timeout: {
    label: 'Timeout',
    happened: 'The provider did not respond in time.',
    remedy: 'Retry. If it persists, use another model, or ask the operator of this gateway for longer timeouts.',
  },
  unreachable: {
    label: 'Provider unreachable',
    happened: 'No connection to the provider could be opened.',
    remedy: 'Retry. If it persists, use another model, and ask the operator of this gateway.',
  },
  reset: {
    label: 'Connection broken',
    happened: 'The connection to the provider broke before its response was complete.',
    remedy: 'Retry. If it persists, use another model, and ask the operator of this gateway.',
  },
  server_error: {
    label: 'Provider error',
    happened: 'The provider failed and said so.',
    remedy: 'Retry. If it persists, use another model, and see the status page of the provider.',
  },
  rate_limited: {
    label: 'Provider limit',
    happened: 'The provider accepts no more requests of this gateway at the moment.',
    remedy:
      'Retry after the time in the Retry-After header. If it persists, use another model, or ask the operator of this gateway for more capacity.',
  },
  credential: {
    label: 'Provider credential',
    happened: 'The provider did not accept the credential or the account of this gateway.',
    remedy: 'Only the operator of this gateway can fix it: give them the trace id. Use another model meanwhile.',
  },
  model_unknown: {
    label: 'Model not at provider',
    happened: 'The provider does not have the model under the name in the catalogue.',
    remedy: 'Only the operator of this gateway can fix it: give them the trace id. Use another model meanwhile.',
  },
  malformed: {
    label: 'Unreadable response',
    happened: 'The response of the provider was not what its protocol says.',
    remedy: 'Retry. If it persists, use another model, and give the operator of this gateway the trace id.',
  },
  refused: {
    label: 'Refused by provider',
    happened: 'The provider refused the request.',
    remedy: 'Change the request: the error that the client received has the reason in the words of the provider.',
  },
  context_exceeded: {
    label: 'Prompt too long',
    happened: "The request exceeds the model's context window.",
    remedy: 'Shorten the conversation, or use a model with a larger context window.',
  },
  response_too_large: {
    label: 'Response too large',
    happened: 'The response was larger than the gateway accepts in one piece.',
    remedy: 'Request less output at once.',
  },
  overloaded: {
    label: 'Gateway overloaded',
    happened: 'The ingress had no memory left for the response.',
    remedy: 'Retry. If it persists, ask the operator of this gateway for more capacity.',
  },
  stopping: {
    label: 'Gateway stopped',
    happened: 'The ingress was stopped while the request was open.',
    remedy: 'Retry.',
  },
};

const KNOWN: ReadonlySet<string> = new Set(FAILURE_CAUSES);

export function isFailureCause(text: string): text is FailureCause {
  return KNOWN.has(text);
}
