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
  if (MINUTE_LIMIT.test(message)) return 'rate_limit';
  return NAMES.get(code) ?? NAMES.get(type) ?? CAUSES.find(([pattern]) => pattern.test(message))?.[1];
}

/**
 * Alibaba has OpenAI's code for an empty account, `insufficient_quota`, also for the tokens of a minute.
 * https://www.alibabacloud.com/help/en/model-studio/rate-limit
 */
const MINUTE_LIMIT = /allocated quota exceeded|error-code#token-limit/i;

/**
 * Codes and types. Those of Zhipu are numbers (https://docs.z.ai/api-reference/api-code,
 * https://docs.bigmodel.cn/cn/api/api-code). A spending limit or a plan that lasts until the next week or month counts as the
 * account's, since no client waits that long.
 */
const NAMES: ReadonlyMap<string, ErrorCause> = new Map([
  ...named('account', ['API_KEY_INVALID', 'FAILED_PRECONDITION', 'insufficient_quota', 'billing_hard_limit_reached']),
  ...named('account', ['credit_balance_exhausted', 'organization_usage_limit_exceeded', 'billing_not_active']),
  ...named('account', ['organization_spend_limit_exceeded', 'project_spend_limit_exceeded']),
  ...named('account', ['exceeded_current_quota_error', 'billing_error', 'Arrearage', 'organization_restricted']),
  ...named('account', ['invalid_api_key', 'authentication_error', 'permission_error', 'insufficient_balance']),
  ...named('account', ['payment_required', 'account_deactivated', 'enforced_spend_limit_reached', 'credit_limit']),
  ...named('account', ['blocked_api_access', 'token_limit_exceeded', 'AllocationQuota.FreeTierOnly']),
  ...named('account', ['1110', '1111', '1112', '1113', '1121', '1220', '1309', '1310', '1311']),
  ...named('model', ['model_not_found', 'model_decommissioned', 'invalid_model', 'ModelNotFound', '1211']),
  ...named('rate_limit', ['rate_limit_exceeded', 'rate_limit_error', 'RESOURCE_EXHAUSTED']),
  ...named('rate_limit', ['1302', '1303', '1304', '1305', '1308', '1312', '1313']),
  ...named('content', ['content_filter', 'content_policy_violation', 'data_inspection_failed', '1301']),
  // Azure, Amazon Bedrock
  ...named('model', ['DeploymentNotFound', 'unknown_model', 'OperationNotSupported', 'ResourceNotFoundException']),
  ...named('account', ['AccessDeniedException', 'ExpiredTokenException', 'UnrecognizedClientException']),
  ...named('rate_limit', ['ThrottlingException', 'ServiceQuotaExceededException']),
]);

function named(cause: ErrorCause, names: readonly string[]): [string, ErrorCause][] {
  return names.map((name) => [name, cause]);
}

/** Providers' sentences. A model's name stands between the words, so these look only a few words far. */
const CAUSES: readonly (readonly [RegExp, ErrorCause])[] = [
  [/(?:incorrect|invalid) api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid|expired)/i, 'account'],
  [/invalid authentication|credit balance is too low|insufficient (?:account )?(?:balance|credits?|funds)/i, 'account'],
  [/reached your specified (?:workspace )?api usage limits|organization has been (?:disabled|restricted)/i, 'account'],
  [/(?:used all available|run out of|doesn't have any) credits|account .{0,80}(?:suspended|good standing)/i, 'account'],
  [/(?:reached|reaching|exceeded) (?:its|your|the) (?:\w+ ){0,2}spend(?:ing)? limit|余额不足/i, 'account'],
  [/\bmodels?\b[^.]{0,120}(?:does ?n[o']t exist|do not exist|not exist|not found|no longer supported)/i, 'model'],
  [/not found the model|not a valid model id|no endpoints found|unable to access model/i, 'model'],
  [/^invalid model\b|^model: \S+$|unknown model|models? loaded|模型不存在/i, 'model'],
  [
    /violates? (?:our |the )?(?:usage|content) (?:guidelines|polic)|requires moderation|content exists risk/i,
    'content',
  ],
  // Amazon Bedrock, the same at another path, Vertex AI
  [/model identifier is invalid|isn't supported on this route|is not servable in region/i, 'model'],
];
