import type { BufferedResponse } from '../exchange/buffered-response.ts';
import type {
  Conversation,
  Part,
  ResponseFormat,
  Settings,
  ToolChoice,
  ToolSpec,
  Turn,
} from '../model/conversation.ts';
import { dataUrlFile } from '../model/inline-file.ts';
import { parseObject } from '../validation/fields.ts';
import { firstProblem } from '../validation/problem.ts';
import { faultOf } from './check.ts';
import { invalidRequest, problemResponse } from './errors.ts';
import { type ChatBody, type ChatMessage, chatSchema } from './schema.ts';

/** A parsed chat-completions request. */
export interface ChatRequest {
  conversation: Conversation;
  stream: boolean;
  includeUsage: boolean;
  includeObfuscation: boolean;
  /** The `simulate` field unchanged. */
  simulate: unknown;
}

export type ChatRequestResult = { ok: true; request: ChatRequest } | { ok: false; response: BufferedResponse };

/** Parses and checks a chat-completions body. A problem becomes OpenAI's error response. */
export function parseRequest(text: string): ChatRequestResult {
  const raw = parseObject(text);
  if (raw === undefined) {
    const message = 'We could not parse the JSON body of your request. The API expects a JSON object.';
    return { ok: false, response: invalidRequest(message, null) };
  }
  const parsed = chatSchema.safeParse(raw);
  if (!parsed.success) return { ok: false, response: problemResponse(firstProblem(parsed.error)) };
  const body = parsed.data;
  const fault = faultOf(body);
  if (fault !== undefined) return { ok: false, response: invalidRequest(fault.message, fault.param, fault.code) };
  return {
    ok: true,
    request: {
      conversation: {
        model: body.model,
        turns: body.messages.map(turnOf),
        tools: (body.tools ?? []).map(toolOf),
        settings: settingsOf(body),
      },
      stream: body.stream === true,
      includeUsage: body.stream_options?.include_usage === true,
      includeObfuscation: body.stream_options?.include_obfuscation === true,
      simulate: body.simulate,
    },
  };
}

function turnOf(message: ChatMessage): Turn {
  const { role } = message;
  switch (role) {
    case 'system':
    case 'developer':
      return { side: 'instructions', role, parts: contentParts(message.content) };
    case 'user':
      return { side: 'user', role, parts: contentParts(message.content) };
    case 'assistant':
      return { side: 'assistant', role, parts: assistantParts(message) };
    case 'tool':
      return {
        side: 'user',
        role,
        parts: [{ kind: 'tool_result', id: message.tool_call_id, parts: contentParts(message.content), error: false }],
      };
    default:
      return role satisfies never;
  }
}

function assistantParts(message: ChatMessage & { role: 'assistant' }): Part[] {
  const parts: Part[] = [];
  const details = message.reasoning_details ?? [];
  const thought =
    message.reasoning_content ??
    message.reasoning ??
    details.map((detail) => detail.text ?? detail.summary ?? '').join('');
  if (thought !== '' || details.length > 0)
    parts.push({ kind: 'reasoning', text: thought, signed: details.length > 0 });
  if (message.content != null && message.content !== '') parts.push(...contentParts(message.content));
  if (message.refusal != null) parts.push({ kind: 'refusal', text: message.refusal });
  for (const call of message.tool_calls ?? []) {
    const [name, input] =
      call.type === 'function' ? [call.function.name, call.function.arguments] : [call.custom.name, call.custom.input];
    parts.push({ kind: 'tool_call', id: call.id, name, arguments: input });
  }
  return parts;
}

type Content = string | Exclude<NonNullable<ChatMessage['content']>, string>;

function contentParts(content: Content): Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return content.map((part): Part => {
    switch (part.type) {
      case 'text':
        return { kind: 'text', text: part.text };
      case 'refusal':
        return { kind: 'refusal', text: part.refusal };
      case 'thinking':
        return { kind: 'reasoning', text: part.thinking.map(({ text }) => text).join(''), signed: false };
      case 'image_url': {
        const { url, detail } = part.image_url;
        return { kind: 'image', low: detail === 'low', source: url.startsWith('data:') ? 'inline' : 'url' };
      }
      case 'input_audio':
        return { kind: 'audio', characters: part.input_audio.data.length };
      case 'file':
        return dataUrlFile(part.file.file_data ?? '', part.file.filename);
      default:
        return part satisfies never;
    }
  });
}

function toolOf(tool: NonNullable<ChatBody['tools']>[number]): ToolSpec {
  if (tool.type === 'custom') {
    return { name: tool.custom.name, description: tool.custom.description ?? '', schema: undefined, custom: true };
  }
  const { name, description, parameters, strict } = tool.function;
  return { name, description: description ?? '', schema: parameters ?? undefined, strict: strict ?? undefined };
}

function settingsOf(body: ChatBody): Settings {
  const { stop } = body;
  return {
    limit: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    choices: body.n ?? 1,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    seed: body.seed ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    logprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
    effort: body.reasoning_effort ?? undefined,
    showReasoning: true,
    verbosity: body.verbosity ?? undefined,
    toolChoice: toolChoiceOf(body.tool_choice),
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    responseFormat: responseFormatOf(body.response_format),
    user: body.safety_identifier ?? body.user ?? undefined,
    cacheKey: body.prompt_cache_key ?? undefined,
    serviceTier: body.service_tier ?? undefined,
    metadata: body.metadata ?? undefined,
    store: body.store ?? undefined,
  };
}

function toolChoiceOf(choice: ChatBody['tool_choice']): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (choice === 'required') return { kind: 'any' };
  if (typeof choice === 'string') return { kind: choice };
  switch (choice.type) {
    case 'function':
      return { kind: 'tool', name: choice.function.name };
    case 'custom':
      return { kind: 'tool', name: choice.custom.name };
    case 'allowed_tools': {
      const { mode, tools } = choice.allowed_tools;
      const names = tools.map((tool) => (tool.type === 'function' ? tool.function.name : tool.custom.name));
      return { kind: mode === 'required' ? 'any' : 'auto', names };
    }
    default:
      return choice satisfies never;
  }
}

function responseFormatOf(format: ChatBody['response_format']): ResponseFormat | undefined {
  switch (format?.type) {
    case undefined:
    case 'text':
      return undefined;
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return { kind: 'schema', schema: format.json_schema.schema ?? {}, strict: format.json_schema.strict === true };
    default:
      return format satisfies never;
  }
}
