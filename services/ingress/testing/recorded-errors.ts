/**
 * Errors of providers, in their shapes and words; ids, names and numbers are made up. They are from the providers' error
 * references and from reports in public issue trackers, as known on 2026-11-24.
 */
export interface RecordedError {
  provider: string;
  status: number;
  body: unknown;
  /** What the client gets. */
  expected: ClientSees;
}

/** Kinds of errors for clients: whose fault it is decides, not the provider's status. */
export type ClientSees =
  /** 400 `invalid_request_error` with the provider's words. */
  | 'invalid'
  /** 400 with the reason `context_length_exceeded`. */
  | 'too long'
  /** 400 `model_not_available`. */
  | 'no model'
  /** 429. */
  | 'limited'
  /** 502: the operator's account, or the provider. */
  | 'ours';

const error = (message: string, type?: string, code?: unknown, more: object = {}) => ({
  error: { message, type, code, ...more },
});
const google = (code: number, status: string, message: string, details?: unknown) => ({
  error: { code, message, status, details },
});
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req_1' });
const vllm = (message: string, type: string, code: number, param: string | null = null) => ({
  object: 'error',
  message,
  type,
  param,
  code,
});

type Row = readonly [status: number, body: unknown, expected: ClientSees];

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  OpenAI: [
    [
      400,
      error("Unsupported parameter: 'max_tokens'", 'invalid_request_error', 'unsupported_parameter', {
        param: 'max_tokens',
      }),
      'invalid',
    ],
    [
      400,
      error(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
        'invalid_request_error',
        'context_length_exceeded',
      ),
      'too long',
    ],
    [
      404,
      error(
        'The model `gpt-x` does not exist or you do not have access to it.',
        'invalid_request_error',
        'model_not_found',
      ),
      'no model',
    ],
    [
      429,
      error(
        'You exceeded your current quota, please check your plan and billing details.',
        'insufficient_quota',
        'insufficient_quota',
      ),
      'ours',
    ],
    [
      429,
      error(
        'Rate limit reached for gpt-x in organization org-1 on tokens per min (TPM)',
        'tokens',
        'rate_limit_exceeded',
      ),
      'limited',
    ],
    [401, error('Incorrect API key provided: sk-abc', 'invalid_request_error', 'invalid_api_key'), 'ours'],
    [400, error('Billing hard limit has been reached', 'invalid_request_error', 'billing_hard_limit_reached'), 'ours'],
    ...['credit_balance_exhausted', 'organization_usage_limit_exceeded', 'organization_spend_limit_exceeded'].map(
      (code): Row => [429, error('You exceeded your current quota.', 'insufficient_quota', code), 'ours'],
    ),
    [
      429,
      error('This project has reached its spend limit.', 'rate_limit_error', 'project_spend_limit_exceeded'),
      'ours',
    ],
    [429, error('Your account is not active.', 'billing_not_active', 'billing_not_active'), 'ours'],
    [
      403,
      error('Project `p` does not have access to model `gpt-x`', 'invalid_request_error', 'model_not_found'),
      'ours',
    ],
    [
      400,
      error('Invalid prompt: your prompt was flagged', 'invalid_request_error', 'content_policy_violation'),
      'invalid',
    ],
    [503, error('The engine is currently overloaded', 'server_error'), 'ours'],
  ],
  Anthropic: [
    [400, anthropic('invalid_request_error', 'max_tokens: 200000 > 64000'), 'invalid'],
    [400, anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'), 'too long'],
    [400, anthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'), 'ours'],
    [
      400,
      anthropic(
        'invalid_request_error',
        'You have reached your specified API usage limits. You will regain access on 2026-12-01.',
      ),
      'ours',
    ],
    [400, anthropic('invalid_request_error', 'This organization has been disabled.'), 'ours'],
    [
      400,
      anthropic(
        'invalid_request_error',
        'You have reached your specified workspace API usage limits. You will regain access on 2026-12-01.',
      ),
      'ours',
    ],
    [402, anthropic('billing_error', 'There is an issue with your billing information.'), 'ours'],
    [
      429,
      {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          message: 'You have reached your API usage limits: your organization has crossed its monthly threshold.',
          details: { error_code: 'enforced_spend_limit_reached' },
        },
      },
      'ours',
    ],
    [404, anthropic('not_found_error', 'model: claude-x'), 'no model'],
    [403, anthropic('permission_error', 'Your API key does not have permission to use the specified resource'), 'ours'],
    [413, anthropic('request_too_large', 'Request exceeds the maximum allowed number of bytes.'), 'invalid'],
    [429, anthropic('rate_limit_error', 'Number of requests has exceeded your rate limit'), 'limited'],
    [529, anthropic('overloaded_error', 'Overloaded'), 'ours'],
  ],
  Gemini: [
    [400, google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'), 'ours'],
    [
      400,
      google(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.', [{ reason: 'API_KEY_INVALID' }]),
      'ours',
    ],
    [
      400,
      [
        google(400, 'INVALID_ARGUMENT', 'Invalid value at temperature', [
          { fieldViolations: [{ field: 'generation_config.temperature' }] },
        ]),
      ],
      'invalid',
    ],
    [
      400,
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      ),
      'too long',
    ],
    [400, google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'), 'ours'],
    [
      404,
      google(
        404,
        'NOT_FOUND',
        'models/gemini-x is not found for API version v1beta, or is not supported for generateContent.',
      ),
      'no model',
    ],
    [
      429,
      google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'),
      'limited',
    ],
    [503, google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'), 'ours'],
  ],
  OpenRouter: [
    [400, error('acme/none is not a valid model ID', undefined, 400), 'no model'],
    [404, error('No endpoints found for acme/old.', undefined, 404), 'no model'],
    [402, error('This request requires more credits, or fewer max_tokens.', undefined, 402), 'ours'],
    [
      403,
      error('acme/m requires moderation on Acme. Your input was flagged for "violence".', undefined, 403, {
        metadata: { reasons: ['violence'] },
      }),
      'invalid',
    ],
    [
      403,
      error('Input flagged by the moderation of Acme', undefined, 403, {
        metadata: { reasons: ['self-harm'], flagged_input: 'How do I', provider_name: 'Acme', model_slug: 'acme/m' },
      }),
      'invalid',
    ],
    [403, error('Key limit exceeded (monthly limit).', undefined, 403), 'ours'],
    [402, error('Prompt tokens limit exceeded: 36163 > 29652. Upgrade to a paid account', undefined, 402), 'ours'],
    [
      400,
      error('The request needs more tokens than your credits pay for', undefined, 400, {
        metadata: { error_type: 'token_limit_exceeded' },
      }),
      'ours',
    ],
    [
      400,
      error('Your input does not fit', undefined, 400, { metadata: { error_type: 'context_length_exceeded' } }),
      'too long',
    ],
    [
      400,
      error('Provider returned error', undefined, 400, {
        metadata: {
          raw: '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
          provider_name: 'Acme',
        },
      }),
      'too long',
    ],
    [
      400,
      error(
        "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 of text input, 1000 in the output).",
        undefined,
        400,
      ),
      'too long',
    ],
    [429, error('Rate limit exceeded: free-models-per-day', undefined, 429), 'limited'],
    [502, error('Provider returned error', undefined, 502, { metadata: { raw: 'Bad gateway' } }), 'ours'],
  ],
  Groq: [
    [400, error("'temperature' : number must be at most 2", 'invalid_request_error'), 'invalid'],
    [
      400,
      error(
        'The model `llama-old` has been decommissioned and is no longer supported.',
        'invalid_request_error',
        'model_decommissioned',
      ),
      'no model',
    ],
    [
      400,
      error(
        'Organization has been restricted. Please reach out to support.',
        'invalid_request_error',
        'organization_restricted',
      ),
      'ours',
    ],
    [400, error('API access is blocked: spend limit reached', 'invalid_request_error', 'blocked_api_access'), 'ours'],
    [
      400,
      error('Your organization has reached its spend limit.', 'invalid_request_error', 'spend_limit_reached'),
      'ours',
    ],
    [
      404,
      error(
        'The model `llama-x` does not exist or you do not have access to it.',
        'invalid_request_error',
        'model_not_found',
      ),
      'no model',
    ],
    [
      413,
      error(
        'Request too large for model `m` in organization `org_1` on tokens per minute (TPM): Limit 6000, Requested 7000',
        'tokens',
        'rate_limit_exceeded',
      ),
      'limited',
    ],
    [498, error('Flex tier capacity exceeded', 'capacity_exceeded', 'capacity_exceeded'), 'ours'],
  ],
  Mistral: [
    [
      422,
      {
        object: 'error',
        message: {
          detail: [
            { type: 'less_than_equal', loc: ['body', 'temperature'], msg: 'Input should be less than or equal to 1.5' },
          ],
        },
        type: 'invalid_request_error',
        code: null,
      },
      'invalid',
    ],
    [422, { detail: [{ type: 'missing', loc: ['body', 'messages', 0, 'content'], msg: 'Field required' }] }, 'invalid'],
    [
      400,
      { object: 'error', message: 'Invalid model: mistral-x', type: 'invalid_model', param: null, code: '1500' },
      'no model',
    ],
    [
      400,
      {
        object: 'error',
        message:
          'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_invalid_args',
        code: '3051',
      },
      'too long',
    ],
    [401, { message: 'Unauthorized', request_id: 'r' }, 'ours'],
    [
      429,
      {
        object: 'error',
        message: 'Service tier capacity exceeded for this model.',
        type: 'service_tier_capacity_exceeded',
        code: '3505',
      },
      'limited',
    ],
  ],
  DeepSeek: [
    [400, error('Model Not Exist', 'invalid_request_error', 'invalid_request_error'), 'no model'],
    [400, error('Content Exists Risk', 'invalid_request_error', 'invalid_request_error'), 'invalid'],
    [402, error('Insufficient Balance', 'unknown_error', 'invalid_request_error'), 'ours'],
    [400, error('Insufficient Balance', 'unknown_error', 'invalid_request_error'), 'ours'],
    [
      400,
      error(
        "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (130000 in the messages, 10000 in the completion).",
        'invalid_request_error',
      ),
      'too long',
    ],
    [
      422,
      error('Failed to deserialize the JSON body into the target type: temperature', 'invalid_request_error'),
      'invalid',
    ],
  ],
  xAI: [
    [
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'Incorrect API key provided: xa***1. You can obtain an API key from the console.',
      },
      'ours',
    ],
    [
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
      },
      'too long',
    ],
    [
      400,
      {
        code: 'Client specified an invalid argument',
        error: 'Model grok-x does not support parameter presencePenalty.',
      },
      'invalid',
    ],
    [
      403,
      { code: 'The caller does not have permission', error: 'Content violates usage guidelines. Team: t-1' },
      'invalid',
    ],
    [403, { code: 'The caller does not have permission', error: 'Your team has used all available credits' }, 'ours'],
    [
      404,
      {
        code: 'Some requested entity was not found',
        error: 'The model grok-x does not exist or your team does not have access to it.',
      },
      'no model',
    ],
    [429, { code: 'Some resource has been exhausted', error: 'Too many requests for team t-1' }, 'limited'],
    ...([403, 429] as const).map(
      (status): Row => [
        status,
        {
          code: 'permission-denied',
          error: 'Your team t-1 has either used all available credits or reached its monthly spending limit.',
        },
        'ours',
      ],
    ),
    [403, { code: 'permission-denied', error: "Your newly created team doesn't have any credits yet." }, 'ours'],
    [402, { code: 'personal-team-blocked:spending-limit', error: 'You have run out of credits.' }, 'ours'],
    [400, { code: 'invalid-argument', error: 'Could not decrypt the provided encrypted_content.' }, 'invalid'],
  ],
  Together: [
    [
      404,
      {
        id: 'r',
        ...error(
          'Unable to access model acme/none. Please visit the list of models.',
          'invalid_request_error',
          'model_not_available',
        ),
      },
      'no model',
    ],
    [
      400,
      {
        id: 'r',
        ...error(
          "The input (140000 tokens) is longer than the model's context length (131072 tokens).",
          'invalid_request_error',
        ),
      },
      'too long',
    ],
    [
      422,
      {
        id: 'r',
        ...error(
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 100 `max_new_tokens`',
          'invalid_request_error',
        ),
      },
      'too long',
    ],
    [503, { id: 'r', ...error('The server is overloaded or not ready yet.', 'service_unavailable') }, 'ours'],
    [
      403,
      {
        id: 'r',
        ...error(
          "The input (140000 tokens) is longer than the model's context length (131072 tokens).",
          'invalid_request_error',
        ),
      },
      'too long',
    ],
    [
      403,
      {
        id: 'r',
        ...error(
          'Input token count + max_tokens parameter must be less than the context length of the model being queried.',
          'invalid_request_error',
        ),
      },
      'too long',
    ],
    [403, { id: 'r', ...error('Your account has no access', 'invalid_request_error') }, 'ours'],
    [429, { id: 'r', ...error('Credit limit exceeded, please add credit', 'credit_limit') }, 'ours'],
  ],
  Fireworks: [
    [
      404,
      {
        error: {
          object: 'error',
          type: 'invalid_request_error',
          code: 'NOT_FOUND',
          message: 'Model not found, inaccessible, and/or not deployed',
        },
      },
      'no model',
    ],
    [
      400,
      {
        error: {
          object: 'error',
          type: 'invalid_request_error',
          message: 'The prompt is too long: 140000, model maximum context length: 131071',
        },
      },
      'too long',
    ],
    [
      412,
      {
        error: {
          object: 'error',
          message: 'Account acme is suspended, possibly due to reaching the monthly spending limit',
        },
      },
      'ours',
    ],
    [
      412,
      {
        error: {
          code: 'PRECONDITION_FAILED',
          type: 'error',
          param: null,
          message: 'The prompt is too long: 140000, model maximum context length: 131071',
        },
      },
      'too long',
    ],
    [400, { error: { type: 'error', message: 'Account acme is reaching the monthly spending limit' } }, 'ours'],
    [401, { error: { message: 'The API key you provided is invalid.' } }, 'ours'],
  ],
  Cerebras: [
    [
      404,
      {
        message: 'Model llama-x does not exist or you do not have access to it.',
        type: 'not_found_error',
        param: 'model',
        code: 'model_not_found',
      },
      'no model',
    ],
    [
      400,
      {
        message: 'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
      'too long',
    ],
    [
      429,
      {
        message: 'Requests per minute limit exceeded - too many requests sent.',
        type: 'too_many_requests_error',
        param: 'quota',
        code: 'request_quota_exceeded',
      },
      'limited',
    ],
    [
      400,
      {
        message: 'temperature: must be at most 1.5',
        type: 'invalid_request_error',
        param: 'temperature',
        code: 'wrong_api_format',
      },
      'invalid',
    ],
    [
      402,
      { message: 'Payment required.', type: 'payment_required_error', param: null, code: 'payment_required' },
      'ours',
    ],
  ],
  Perplexity: [
    [
      400,
      error("Invalid model 'sonar-x'. Permitted models can be found in the documentation.", 'invalid_model', 400),
      'no model',
    ],
    [401, '<html><head><title>401 Authorization Required</title></head></html>', 'ours'],
    [
      400,
      error(
        'After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).',
        'invalid_message',
        400,
      ),
      'invalid',
    ],
    [429, '', 'limited'],
  ],
  Moonshot: [
    [404, error('Not found the model kimi-x or Permission denied', 'resource_not_found_error'), 'no model'],
    [
      400,
      error(
        'Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)',
        'invalid_request_error',
      ),
      'too long',
    ],
    [
      429,
      error(
        'Your account org-1 is suspended, please check your plan and billing details',
        'exceeded_current_quota_error',
      ),
      'ours',
    ],
    [429, error('Your account org-1 request reached max organization RPM: 3', 'rate_limit_reached_error'), 'limited'],
    [429, error('The engine is currently overloaded, please try again later', 'engine_overloaded_error'), 'limited'],
  ],
  Zhipu: [
    [400, error('模型不存在,请检查模型代码。', undefined, '1211'), 'no model'],
    [429, error('余额不足或无可用资源包,请充值。', undefined, '1113'), 'ours'],
    [429, error('您的账户已达到速率限制', undefined, '1302'), 'limited'],
    ...['1110', '1112', '1121', '1309', '1310'].map((code): Row => [429, error('账户异常', undefined, code), 'ours']),
    ...['1303', '1304', '1305', '1308', '1312', '1313'].map(
      (code): Row => [400, error('请稍后再试', undefined, code), 'limited'],
    ),
    [400, error('您无权访问 chat', undefined, '1220'), 'ours'],
    [429, error('当前订阅套餐暂未开放权限', undefined, '1311'), 'ours'],
    [400, error('输入过长', undefined, '1261'), 'too long'],
    [400, error('Prompt 超长', undefined, '1261'), 'too long'],
    [400, error('系统检测到输入或生成内容可能包含不安全或敏感内容', undefined, '1301'), 'invalid'],
    [400, error('messages 参数非法。请检查文档。', undefined, '1214'), 'invalid'],
  ],
  Qwen: [
    [
      404,
      {
        ...error(
          'The model `qwen-x` does not exist or you do not have access to it.',
          'invalid_request_error',
          'model_not_found',
        ),
        request_id: 'r',
      },
      'no model',
    ],
    [
      400,
      error(
        '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
        'invalid_request_error',
        'invalid_parameter_error',
      ),
      'too long',
    ],
    [400, error('Access denied, please make sure your account is in good standing.', 'Arrearage', 'Arrearage'), 'ours'],
    [
      400,
      error('Input data may contain inappropriate content.', 'data_inspection_failed', 'data_inspection_failed'),
      'invalid',
    ],
    [429, error('You have exceeded your current request limit.', 'limit_requests', 'limit_requests'), 'limited'],
    [
      429,
      error('Allocated quota exceeded, please increase your quota limit.', 'insufficient_quota', 'insufficient_quota'),
      'limited',
    ],
    [
      429,
      error(
        'You exceeded your current quota, please check your plan. For details, see: https://example.com/error-code#token-limit',
        'insufficient_quota',
        'insufficient_quota',
      ),
      'limited',
    ],
    [403, error('The free tier of the model has been exhausted.', 'AllocationQuota.FreeTierOnly'), 'ours'],
    [400, error('Access denied, please make sure your account is in good standing.', 'Arrearage'), 'ours'],
  ],
  vLLM: [
    [404, vllm('The model `m` does not exist.', 'NotFoundError', 404), 'no model'],
    [
      400,
      vllm(
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).",
        'BadRequestError',
        400,
      ),
      'too long',
    ],
    [
      400,
      { error: vllm('temperature must be non-negative, got -1.0.', 'BadRequestError', 400, 'temperature') },
      'invalid',
    ],
    [400, { detail: [{ type: 'json_invalid', loc: ['body', 1], msg: 'JSON decode error' }] }, 'invalid'],
    [401, { error: 'Unauthorized' }, 'ours'],
  ],
  SGLang: [
    [
      400,
      vllm("The input (5000 tokens) is longer than the model's context length (4096 tokens).", 'BadRequestError', 400),
      'too long',
    ],
    [
      400,
      vllm(
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4000 tokens from the input messages and 1000 tokens for the completion.",
        'BadRequestError',
        400,
      ),
      'too long',
    ],
    [503, vllm('The request queue is full.', 'ServiceUnavailable', 503), 'ours'],
  ],
  Ollama: [
    [404, { error: 'model "llama-x" not found, try pulling it first' }, 'no model'],
    [404, error("model 'llama-x' not found", 'not_found_error'), 'no model'],
    [400, error('the input length exceeds the context length', 'invalid_request_error'), 'too long'],
    [500, { error: 'prompt too long; exceeded max context length by 10 tokens' }, 'too long'],
    [400, error('"m" does not support tools', 'api_error'), 'invalid'],
  ],
  'LM Studio': [
    [
      404,
      error(
        'No models loaded. Please load a model in the developer page.',
        'invalid_request_error',
        'model_not_found',
        { param: 'model' },
      ),
      'no model',
    ],
    [
      400,
      {
        error:
          'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      },
      'too long',
    ],
    [400, { error: "'messages' field is required" }, 'invalid'],
  ],
  'llama.cpp': [
    [
      400,
      error('the request exceeds the available context size, try increasing it', 'exceed_context_size_error', 400, {
        n_prompt_tokens: 5000,
        n_ctx: 4096,
      }),
      'too long',
    ],
    [503, error('Loading model', 'unavailable_error', 503), 'ours'],
    [401, error('Invalid API Key', 'authentication_error', 401), 'ours'],
    [501, error('This server does not support tools', 'not_supported_error', 501), 'ours'],
  ],
  // https://github.com/openai/openai-dotnet/issues/55, https://github.com/compl-ai/compl-ai/issues/20 (a filtered prompt).
  Azure: [
    [
      400,
      error(
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
        undefined,
        'content_filter',
        {
          param: 'prompt',
          status: 400,
          innererror: {
            code: 'ResponsibleAIPolicyViolation',
            content_filter_result: { hate: { filtered: true, severity: 'high' }, jailbreak: { detected: false } },
          },
        },
      ),
      'invalid',
    ],
    [401, error('Access denied due to invalid subscription key or wrong API endpoint.', undefined, '401'), 'ours'],
    [401, error('The principal `p` lacks the required data action', undefined, 'PermissionDenied'), 'ours'],
    [403, error('Access denied due to Virtual Network/Firewall rules.', undefined, '403'), 'ours'],
    [404, error('The API deployment for this resource does not exist.', undefined, 'DeploymentNotFound'), 'no model'],
    [404, error('Unknown model: gpt-x', undefined, 'unknown_model'), 'no model'],
    [404, error('Requested API is currently not supported', undefined, 'api_not_supported'), 'ours'],
    [
      400,
      error(
        'The chatCompletion operation does not work with the specified model, gpt-x. Please choose different model and try again.',
        undefined,
        'OperationNotSupported',
      ),
      'no model',
    ],
    [
      429,
      error('Requests to the ChatCompletions_Create Operation have exceeded token rate limit.', undefined, '429'),
      'limited',
    ],
    [429, error('The system is currently experiencing high demand.', undefined, 'NoCapacity'), 'limited'],
    [
      500,
      error('The server had an error while processing your request.', 'server_error', 'InternalServerError'),
      'ours',
    ],
  ],
  // Bedrock's native errors have a message only; its type is in a header, or in `__type`.
  'Amazon Bedrock': [
    [403, { message: 'The security token included in the request is invalid.' }, 'ours'],
    [403, { Message: 'User: arn:aws:iam::1:role/r is not authorized to perform: bedrock:InvokeModel' }, 'ours'],
    [403, { message: "You don't have access to the model with the specified model ID." }, 'ours'],
    [400, { __type: 'com.amazon.coral.service#ExpiredTokenException', message: 'The token has expired' }, 'ours'],
    [400, { message: 'The provided model identifier is invalid.' }, 'no model'],
    [400, error("The model `google.gemma-x` isn't supported on this route", 'invalid_request_error'), 'no model'],
    [404, { __type: 'ResourceNotFoundException', message: 'Could not resolve the foundation model' }, 'no model'],
    [400, { message: 'Malformed input request: #: required key [messages] not found' }, 'invalid'],
    [400, { message: 'Input is too long for requested model.' }, 'too long'],
    [400, { __type: 'ServiceQuotaExceededException', message: 'Your request exceeds the quota' }, 'limited'],
    [400, { __type: 'ThrottlingException', message: 'Rate exceeded' }, 'limited'],
    [429, { message: 'Too many tokens, please wait before trying again.' }, 'limited'],
    [424, { message: 'The model returned an error', originalStatusCode: 500 }, 'ours'],
    [503, { message: 'Bedrock is unable to process your request.' }, 'ours'],
  ],
  // https://github.com/yym68686/uni-api/issues/41
  'Vertex AI': [
    [429, [google(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.')], 'limited'],
    [
      429,
      [google(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for online_prediction_requests_per_base_model')],
      'limited',
    ],
    [
      404,
      [google(404, 'NOT_FOUND', 'Publisher Model `projects/p/locations/l/publishers/google/models/m` was not found')],
      'no model',
    ],
    [
      400,
      [google(400, 'INVALID_ARGUMENT', 'Publisher Model `publishers/anthropic/models/m` is not servable in region l.')],
      'no model',
    ],
    [400, [google(400, 'FAILED_PRECONDITION', 'Project `1` is not allowed to use Publisher Model `m`')], 'ours'],
    [403, google(403, 'PERMISSION_DENIED', "Permission 'aiplatform.endpoints.predict' denied on resource"), 'ours'],
    [401, google(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'), 'ours'],
    [400, google(400, 'INVALID_ARGUMENT', 'Unable to submit request because it has a temperature of 3'), 'invalid'],
    [400, anthropic('invalid_request_error', 'messages.0: text content blocks must be non-empty'), 'invalid'],
    [503, google(503, 'UNAVAILABLE', 'The service is currently unavailable.'), 'ours'],
  ],
  'a proxy in front of a provider': [
    [404, '<html><body>404 Not Found</body></html>', 'ours'],
    [400, 'Bad Request', 'invalid'],
    [502, '<html><body>502 Bad Gateway</body></html>', 'ours'],
    [504, 'upstream request timeout', 'ours'],
  ],
};

export const RECORDED_ERRORS: readonly RecordedError[] = Object.entries(ROWS).flatMap(([provider, rows]) =>
  rows.map(([status, body, expected]) => ({ provider, status, body, expected })),
);

/** Errors that come with status 200: as the body, or as an event of a stream. */
export const ERRORS_WITHIN: readonly (Omit<RecordedError, 'status'> & { body: object })[] = [
  { provider: 'OpenRouter', body: error('Rate limited', undefined, 429), expected: 'limited' },
  {
    provider: 'OpenRouter',
    body: {
      id: 'g',
      choices: [
        {
          index: 0,
          delta: { content: '' },
          finish_reason: 'error',
          error: { code: 502, message: 'Provider disconnected' },
        },
      ],
    },
    expected: 'ours',
  },
  {
    provider: 'OpenRouter',
    body: {
      id: 'g',
      choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
      error: { code: 'server_error', message: 'Provider disconnected' },
    },
    expected: 'ours',
  },
  { provider: 'OpenRouter', body: error('Insufficient credits', undefined, 402), expected: 'ours' },
  {
    provider: 'OpenAI',
    body: error(
      'Your input exceeds the context window of this model.',
      'invalid_request_error',
      'context_length_exceeded',
    ),
    expected: 'too long',
  },
  {
    provider: 'Groq',
    body: error('The model `m` does not exist', 'invalid_request_error', 'model_not_found'),
    expected: 'no model',
  },
];
