import type { Explanation } from './explanation.ts';

/** Why requests of known accounts are refused: a closed list, recorded by the ingress and shown in the console. */
export const REFUSAL_REASONS = [
  'key_deleted',
  'key_expired',
  'key_off',
  'account_suspended',
  'account_in_debt',
  'insufficient_balance',
  'cap_exceeded',
  'request_too_expensive',
  'held_by_open_requests',
  'cap_held_by_open_requests',
  'rate_limited',
  'too_many_open_requests',
  'too_much_memory',
  'model_not_available',
  'model_not_supported',
  'protocol_not_supported',
  'unknown_endpoint',
  'invalid_request',
  'ledger_unavailable',
  'gateway_overloaded',
  'gateway_unavailable',
  'internal_error',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The text of each reason. */
export const REFUSAL_TEXTS: Readonly<Record<RefusalReason, Explanation>> = {
  key_deleted: {
    label: 'Deleted key',
    happened: 'The API key has been deleted.',
    remedy: 'Create a new key and replace the deleted one wherever it is still in use.',
  },
  key_expired: {
    label: 'Expired key',
    happened: 'The API key has expired.',
    remedy: 'Create a new key, or give this one a later expiry.',
  },
  key_off: {
    label: 'Off above the key',
    happened:
      'The project of the API key, the member or service account that owns it, or a key above it is switched off, has ended or is deleted.',
    remedy: 'Ask an owner or admin of the account to switch it on, or use a key of another project.',
  },
  account_suspended: {
    label: 'Suspended account',
    happened: 'An operator has suspended the account.',
    remedy: 'Ask the operator of this gateway to resume it.',
  },
  account_in_debt: {
    label: 'Account in debt',
    happened: 'The account owes money, because a payment was taken back or corrected after it was spent.',
    remedy: 'Top up: the payment settles the debt first, and requests are accepted again once it is paid.',
  },
  insufficient_balance: {
    label: 'Balance too low',
    happened: 'The balance of the account is lower than the most that the request can cost.',
    remedy: 'Top up, or lower the output limit of the request.',
  },
  cap_exceeded: {
    label: 'Spending cap reached',
    happened: 'Too little is left of a spending cap of the key for the most that the request can cost.',
    remedy: 'Raise the cap, wait until it resets, or lower the output limit of the request.',
  },
  request_too_expensive: {
    label: 'Request too expensive',
    happened: 'The request can cost more than the largest charge that the gateway accepts.',
    remedy: 'Lower its output limit, or send a smaller request.',
  },
  held_by_open_requests: {
    label: 'Balance held',
    happened: 'Open requests of the account held too much of its balance.',
    remedy: 'Retry when some of them have finished. Top up to have more requests open at the same time.',
  },
  cap_held_by_open_requests: {
    label: 'Spending cap held',
    happened: 'Open requests of the key held too much of its spending cap.',
    remedy: 'Retry when some of them have finished. Raise the cap to have more requests open at the same time.',
  },
  rate_limited: {
    label: 'Rate limit',
    happened: 'A limit on requests or tokens per minute was reached.',
    remedy: 'Retry after the time in the Retry-After header, or raise the limit.',
  },
  too_many_open_requests: {
    label: 'Too many open requests',
    happened: 'The maximum number of open requests was reached.',
    remedy: 'Send fewer requests at the same time, or raise the limit.',
  },
  too_much_memory: {
    label: 'Requests too large',
    happened: "The account's open requests used all the memory that one ingress grants an account.",
    remedy: 'Retry when some of them have finished, or send fewer large requests at the same time.',
  },
  model_not_available: {
    label: 'Model not available',
    happened: 'The model does not exist, or none of its deployments was in service.',
    remedy: 'Check the name against the list of models. If it is right, retry later or use another model.',
  },
  model_not_supported: {
    label: 'Model not allowed',
    happened: 'The model is switched off, or this key may not call it.',
    remedy: 'Add the model to the allowed models of the key, or use one that it may call.',
  },
  protocol_not_supported: {
    label: 'Protocol not supported',
    happened: 'The model cannot be called through this endpoint.',
    remedy: 'Use an endpoint that the model supports: the list of models has them.',
  },
  unknown_endpoint: {
    label: 'No such endpoint',
    happened: 'The gateway has no endpoint with this path and method.',
    remedy: 'Check the base URL and the path of the request.',
  },
  invalid_request: {
    label: 'Invalid request',
    happened: 'The request was not valid.',
    remedy: 'The message names the field and what is wrong with it.',
  },
  ledger_unavailable: {
    label: 'Ledger unavailable',
    happened: 'The ledger could not be reached, so the cost of the request could not be held.',
    remedy: 'Retry. If it persists, ask the operator of this gateway.',
  },
  gateway_overloaded: {
    label: 'Gateway overloaded',
    happened: 'The ingress had no capacity left for the request.',
    remedy: 'Retry. If it persists, ask the operator of this gateway for more capacity.',
  },
  gateway_unavailable: {
    label: 'Gateway unavailable',
    happened: 'A part of the gateway that the request needs was out of service.',
    remedy: 'Retry. If it persists, ask the operator of this gateway.',
  },
  internal_error: {
    label: 'Internal error',
    happened: 'Something went wrong in the gateway.',
    remedy: 'Retry. If it persists, give the operator of this gateway the trace id.',
  },
};

const KNOWN: ReadonlySet<string> = new Set(REFUSAL_REASONS);

export function isRefusalReason(text: string): text is RefusalReason {
  return KNOWN.has(text);
}
