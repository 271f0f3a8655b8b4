import type { PlaygroundRequest } from '@tollgate/proto/console/models';

/** The body of the equivalent Chat Completions request. */
export function chatBody({ model, system, messages, tools, maxOutputTokens, temperature }: PlaygroundRequest): object {
  return {
    model,
    messages: [...(system === undefined || system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
    ...(tools.length === 0 ? {} : { tools }),
    ...(maxOutputTokens === undefined ? {} : { max_completion_tokens: maxOutputTokens }),
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
