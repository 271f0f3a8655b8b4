import type { UpstreamError } from './errors.ts';

/**
 * What caused an error, where its status alone does not say so:
 *
 * - `account`: the operator's account or credential at the provider;
 * - `model`: the provider does not have the model of the catalogue;
 * - `rate_limit`: a limit of the operator's account that passes by itself;
 * - `content`: the prompt violates the provider's rules of use.
 */
export type ErrorCause = 'account' | 'model' | 'rate_limit' | 'content';

/** The cause of an error in its provider's words; undefined if they tell nothing. */
export function readErrorCause({ message, code, type }: UpstreamError): ErrorCause | undefined {
  return NAMES.get(code) ?? NAMES.get(type) ?? CAUSES.find(([pattern]) => pattern.test(message))?.[1];
}

/** Codes and types. Those of Zhipu are numbers (https://docs.z.ai/api-reference/api-code). */
const NAMES: ReadonlyMap<string, ErrorCause> = new Map([
  ...named('account', ['API_KEY_INVALID', 'FAILED_PRECONDITION', 'insufficient_quota', 'billing_hard_limit_reached']),
  ...named('account', ['exceeded_current_quota_error', 'billing_error', 'Arrearage', 'organization_restricted']),
  ...named('account', ['invalid_api_key', 'authentication_error', 'permission_error', 'insufficient_balance']),
  ...named('account', ['payment_required', 'account_deactivated', '1112', '1113']),
  ...named('model', ['model_not_found', 'model_decommissioned', 'invalid_model', 'ModelNotFound', '1211']),
  ...named('rate_limit', ['rate_limit_exceeded', 'rate_limit_error', 'RESOURCE_EXHAUSTED', '1302', '1305']),
  ...named('content', ['content_filter', 'content_policy_violation', 'data_inspection_failed', '1301']),
]);

function named(cause: ErrorCause, names: readonly string[]): [string, ErrorCause][] {
  return names.map((name) => [name, cause]);
}

/** Providers' sentences. A model's name stands between the words, so these look only a few words far. */
const CAUSES: readonly (readonly [RegExp, ErrorCause])[] = [
  [/(?:incorrect|invalid) api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid|expired)/i, 'account'],
  [/invalid authentication|credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds)/i, 'account'],
  [/reached your specified api usage limits|organization has been (?:disabled|restricted)/i, 'account'],
  [/used all available credits|account .{0,80}(?:suspended|good standing)|余额不足/i, 'account'],
  [/\bmodels?\b[^.]{0,120}(?:does ?n[o']t exist|do not exist|not exist|not found|no longer supported)/i, 'model'],
  [/not found the model|not a valid model id|no endpoints found|unable to access model/i, 'model'],
  [/^invalid model\b|^model: \S+$|unknown model|models? loaded|模型不存在/i, 'model'],
  [
    /violates? (?:our |the )?(?:usage|content) (?:guidelines|polic)|requires moderation|content exists risk/i,
    'content',
  ],
];
