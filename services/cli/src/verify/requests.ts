/** The protocols that a gateway can be challenged in. */
export const PROTOCOLS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The gateway, and what each request asks of it. */
export interface Target {
  /** With or without `/v1` at its end. */
  baseUrl: string;
  key: string;
  model: string;
  protocol: Protocol;
  /** The most output that a request asks for. */
  maxTokens: number;
}

/** A request of the challenge, as the official SDK of its protocol sends it. */
export interface ChallengeRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** @param text distinguishes the request, so that no cache responds to it */
export function requestOf(target: Target, text: string, stream: boolean): ChallengeRequest {
  const { key, model, protocol, maxTokens } = target;
  const root = rootOf(target);
  const bearer = { authorization: `Bearer ${key}` };
  const messages = [{ role: 'user', content: text }];
  switch (protocol) {
    case 'openai-chat':
      return request(`${root}/v1/chat/completions`, bearer, { model, messages, max_tokens: maxTokens, stream });
    case 'openai-responses':
      return request(`${root}/v1/responses`, bearer, { model, input: text, max_output_tokens: maxTokens, stream });
    case 'anthropic-messages':
      return request(
        `${root}/v1/messages`,
        { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
        { model, messages, max_tokens: maxTokens, stream },
      );
    case 'gemini':
      return request(
        `${root}/v1beta/models/${encodeURIComponent(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        { 'x-goog-api-key': key },
        { contents: [{ role: 'user', parts: [{ text }] }], generationConfig: { maxOutputTokens: maxTokens } },
      );
    default:
      return protocol satisfies never;
  }
}

/** The address of the gateway that paths are added to. */
export function rootOf({ baseUrl }: Pick<Target, 'baseUrl'>): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function request(url: string, headers: Record<string, string>, body: object): ChallengeRequest {
  return { url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}
