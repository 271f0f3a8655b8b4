import type { WireRequest } from './http.ts';

/** A request in neutral terms for any of the four generation endpoints. */
export interface Prompt {
  model: string;
  text: string;
  maxTokens?: number;
  stream?: boolean;
  /** An image in addition to the text. */
  image?: boolean;
}

/** A generation endpoint, as its protocol's clients call it. */
export interface Endpoint {
  protocol: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';
  /** The contract's status for an insufficient balance. */
  shortageStatus: 400 | 402;
  /** Additional fields of errors, see ExpectedError. */
  surface: 'messages' | 'generative' | undefined;
  /** Path of `usage.cost` in a buffered response. */
  costPath: string[];
  request: (prompt: Prompt) => WireRequest;
}

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PNG_URL = `data:image/png;base64,${PNG}`;

function post(path: string, body: object): WireRequest {
  return { method: 'POST', path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export const ENDPOINTS: readonly Endpoint[] = [
  {
    protocol: 'openai-chat',
    shortageStatus: 400,
    surface: undefined,
    costPath: ['usage', 'cost'],
    request: ({ model, text, maxTokens, stream, image }) => {
      const picture = { type: 'image_url', image_url: { url: PNG_URL } };
      return post('/v1/chat/completions', {
        model,
        messages: [{ role: 'user', content: image === true ? [{ type: 'text', text }, picture] : text }],
        ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
        ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
      });
    },
  },
  {
    protocol: 'openai-responses',
    shortageStatus: 400,
    surface: undefined,
    costPath: ['usage', 'cost'],
    request: ({ model, text, maxTokens, stream, image }) => {
      const picture = { type: 'input_image', image_url: PNG_URL, detail: 'auto' };
      const content = [{ type: 'input_text', text }, ...(image === true ? [picture] : [])];
      return post('/v1/responses', {
        model,
        input: [{ role: 'user', content }],
        ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
        ...(stream === true ? { stream } : {}),
      });
    },
  },
  {
    protocol: 'anthropic-messages',
    shortageStatus: 402,
    surface: 'messages',
    costPath: ['usage', 'cost'],
    request: ({ model, text, maxTokens, stream, image }) => {
      const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
      return post('/v1/messages', {
        model,
        max_tokens: maxTokens ?? 1_000,
        messages: [{ role: 'user', content: [{ type: 'text', text }, ...(image === true ? [picture] : [])] }],
        ...(stream === true ? { stream } : {}),
      });
    },
  },
  {
    protocol: 'gemini',
    shortageStatus: 402,
    surface: 'generative',
    costPath: ['usageMetadata', 'cost'],
    request: ({ model, text, maxTokens, stream, image }) => {
      const picture = { inlineData: { mimeType: 'image/png', data: PNG } };
      const method = stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return post(`/v1beta/models/${model}:${method}`, {
        contents: [{ role: 'user', parts: [{ text }, ...(image === true ? [picture] : [])] }],
        ...(maxTokens === undefined ? {} : { generationConfig: { maxOutputTokens: maxTokens } }),
      });
    },
  },
];

/** The request with a bearer key. */
export function withKey(key: string, wire: WireRequest): WireRequest {
  return { ...wire, headers: { ...wire.headers, authorization: `Bearer ${key}` } };
}

/** A text with a directive to the simulated provider, which survives translation. */
export function directed(text: string, controls: Record<string, unknown>): string {
  return `${text} [simulate ${JSON.stringify(controls)}]`;
}
