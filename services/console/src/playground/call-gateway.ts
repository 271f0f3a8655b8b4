import type { z } from 'zod';
import type { modelOperations } from '../api/models.ts';

type ChatInput = z.output<(typeof modelOperations)['POST /accounts/{account_id}/playground']['body']>;

/** The body of the equivalent Chat Completions request. */
export function chatBody({ model, system, messages, tools, max_output_tokens, temperature }: ChatInput): object {
  return {
    model,
    messages: [...(system === undefined || system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(max_output_tokens === undefined ? {} : { max_completion_tokens: max_output_tokens }),
    ...(temperature === undefined ? {} : { temperature }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** Sends a chat request to the gateway. Redirects are not followed: they would take the key elsewhere. */
export function callGateway(gatewayUrl: string, key: string, body: object, signal: AbortSignal): Promise<Response> {
  return fetch(`${gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal,
  });
}
