import { messagesScenes, notMessages } from './messages.ts';
import { errorOf, invalid, LIMITED, NO_MODEL, OUR_FAULT, type RecordedProvider, TOO_LONG } from './recorded.ts';

/*
 * Recorded answers in fixtures of `@ai-sdk/anthropic` and cassettes of pydantic-ai (`test_anthropic`): texts and
 * thinking, whole and streamed, with their usage; the 404 of an unknown model and the body of a 400. Not checked: the
 * messages of the other errors. Input tokens are without the cached ones; a stream counts the input in its first event
 * and all of it again in the last.
 */

const tokens = (input: number, read: number, written: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
});
const tier = (written: number) => ({
  cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
  service_tier: 'standard',
  inference_geo: 'not_available',
});
const details = (thinking: number) => thinking > 0 && { output_tokens_details: { thinking_tokens: thinking } };
const usage = (input: number, read: number, written: number, output: number, thinking = 0) => ({
  whole: { ...tokens(input, read, written), ...tier(written), output_tokens: output, ...details(thinking) },
  start: { ...tokens(input, read, written), ...tier(written), output_tokens: 1 },
  end: { ...tokens(input, read, written), output_tokens: output, ...details(thinking) },
  meant: {
    input,
    output: output - thinking,
    ...(thinking > 0 && { reasoning: thinking }),
    ...(read > 0 && { cache_read: read }),
    ...(written > 0 && { cache_write_5m: written }),
  },
});

const scenes = messagesScenes({
  head: { id: 'msg_01AbCdEfGhIjKlMnOpQrStUv', model: 'claude-sonnet-5' },
  callId: 'toolu_01AbCdEfGhIjKlMnOpQrStUv',
  thinks: true,
  signature: { value: 'EqQBCgIYAhIkMDAwMC1zaWduYXR1cmUtb2YtdGhlLXByb3ZpZGVy', at: 'both' },
  between: [{ type: 'ping' }],
  counts: {
    text: usage(12, 128, 64, 9),
    tools: usage(290, 0, 0, 54),
    reasoning: usage(300, 0, 0, 90, 60),
    after: usage(20, 200, 90, 8),
  },
});

const error = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CAbCdEfGhIjKlMnOpQrSt',
});

export const anthropic: RecordedProvider = {
  id: 'anthropic',
  name: 'Anthropic',
  model: 'claude-sonnet-5',
  endpoints: [
    {
      entry: 'anthropic',
      rejects: notMessages,
      scenes,
      errors: [
        errorOf(
          'bad parameter',
          400,
          invalid('temperature'),
          error('invalid_request_error', 'temperature: range: 0..1'),
        ),
        errorOf('wrong key', 401, OUR_FAULT, error('authentication_error', 'invalid x-api-key')),
        errorOf(
          'no credit',
          400,
          OUR_FAULT,
          error(
            'invalid_request_error',
            'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
          ),
        ),
        errorOf(
          'not permitted',
          403,
          OUR_FAULT,
          error('permission_error', 'Your API key does not have permission to use the specified resource.'),
        ),
        errorOf('unknown model', 404, NO_MODEL, error('not_found_error', 'model: claude-0')),
        errorOf(
          'rate limit',
          429,
          LIMITED,
          error(
            'rate_limit_error',
            'This request would exceed the rate limit for your organization (0a1b2c3d) of 40,000 input tokens per minute.',
          ),
          { 'retry-after': '12' },
        ),
        errorOf(
          'spending limit',
          400,
          OUR_FAULT,
          error(
            'invalid_request_error',
            'You have reached your specified workspace API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
          ),
        ),
        errorOf('spending limit of the tier', 429, OUR_FAULT, {
          type: 'error',
          error: {
            type: 'rate_limit_error',
            message:
              'You have reached your API usage limits: your organization has crossed its monthly API usage threshold.',
            details: { error_code: 'enforced_spend_limit_reached' },
          },
          request_id: 'req_011CAbCdEfGhIjKlMnOpQrSt',
        }),
        errorOf('unpaid', 402, OUR_FAULT, error('billing_error', 'There is an issue with your payment information.')),
        errorOf('internal', 500, OUR_FAULT, error('api_error', 'Internal server error')),
        errorOf('overloaded', 529, OUR_FAULT, error('overloaded_error', 'Overloaded')),
        errorOf(
          'prompt too long',
          400,
          TOO_LONG,
          error('invalid_request_error', 'prompt is too long: 1050000 tokens > 1000000 maximum'),
        ),
      ],
    },
  ],
};
