import type {
  Conversation,
  Part,
  ResponseFormat,
  Settings,
  Side,
  ToolChoice,
  ToolSpec,
  Turn,
} from '../model/conversation.ts';
import { dataUrlFile } from '../model/inline-file.ts';
import type { CountBody, InputItem, InputTool, ResponsesBody } from './schema.ts';

/**
 * Converts a body of either endpoint.
 *
 * @param sampling settings of {@link samplingOf}
 */
export function conversationOf(body: CountBody, sampling: Partial<Settings> = {}): Conversation {
  const { instructions, input } = body;
  const turns: Turn[] = [];
  if (instructions != null) {
    turns.push({ side: 'instructions', role: 'instructions', parts: [{ kind: 'text', text: instructions }] });
  }
  if (typeof input === 'string') turns.push({ side: 'user', role: 'user', parts: [{ kind: 'text', text: input }] });
  else turns.push(...(input ?? []).map(turnOf));
  return {
    model: body.model ?? '',
    turns,
    tools: declaredTools(body).flatMap(toolsOf),
    settings: { ...settingsOf(body), ...sampling },
  };
}

function turnOf(item: InputItem): Turn {
  switch (item.type) {
    case 'message':
      return { side: sideOf(item.role), role: item.role, parts: partsOf(item.content) };
    case 'function_call':
      return {
        side: 'assistant',
        role: item.type,
        parts: [{ kind: 'tool_call', id: item.call_id, name: fullName(item), arguments: item.arguments }],
      };
    case 'custom_tool_call':
      return {
        side: 'assistant',
        role: item.type,
        parts: [{ kind: 'tool_call', id: item.call_id, name: fullName(item), arguments: item.input }],
      };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return {
        side: 'user',
        role: item.type,
        parts: [{ kind: 'tool_result', id: item.call_id, parts: partsOf(item.output), error: false }],
      };
    case 'reasoning': {
      const text = [...item.summary, ...(item.content ?? [])].map((part) => part.text).join('');
      return { side: 'assistant', role: item.type, parts: [{ kind: 'reasoning', text, signed: true }] };
    }
    case 'tool_search_call': {
      const call = { id: item.call_id ?? undefined, name: 'tool_search', arguments: JSON.stringify(item.arguments) };
      return { side: 'assistant', role: item.type, parts: [{ kind: 'tool_call', ...call }] };
    }
    case 'local_shell_call':
      return {
        side: 'assistant',
        role: item.type,
        parts: [{ kind: 'tool_call', id: item.call_id, name: 'local_shell', arguments: JSON.stringify(item.action) }],
      };
    case 'local_shell_call_output':
      return {
        side: 'user',
        role: item.type,
        parts: [{ kind: 'tool_result', id: item.call_id, parts: [{ kind: 'text', text: item.output }], error: false }],
      };
    case 'tool_search_output':
      return {
        side: 'user',
        role: item.type,
        parts: [{ kind: 'tool_result', id: item.call_id ?? undefined, parts: [], error: false }],
      };
    case 'additional_tools':
      return { side: 'instructions', role: item.role, parts: [] };
    case 'web_search_call':
    case 'compaction':
    case 'item_reference':
      return { side: 'assistant', role: item.type, parts: [] };
    default:
      return item satisfies never;
  }
}

function sideOf(role: 'user' | 'system' | 'developer' | 'assistant'): Side {
  return role === 'user' || role === 'assistant' ? role : 'instructions';
}

type Content = (InputItem & { type: 'message' })['content'];

function partsOf(content: Content): Part[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return content.map((part): Part => {
    switch (part.type) {
      case 'input_text':
      case 'output_text':
        return { kind: 'text', text: part.text };
      case 'refusal':
        return { kind: 'refusal', text: part.refusal };
      case 'input_image': {
        const source = part.image_url?.startsWith('data:') === true ? 'inline' : 'url';
        return { kind: 'image', low: part.detail === 'low', source };
      }
      case 'input_file':
        return part.file_data == null
          ? { kind: 'file', source: 'url', name: part.filename ?? undefined }
          : dataUrlFile(part.file_data, part.filename ?? undefined);
      default:
        return part satisfies never;
    }
  });
}

/** The tools of the request and those that items add. */
export function declaredTools({ tools, input }: Pick<CountBody, 'tools' | 'input'>): InputTool[] {
  const items = typeof input === 'string' ? [] : (input ?? []);
  const added = items.flatMap((item) =>
    item.type === 'additional_tools' || item.type === 'tool_search_output' ? item.tools : [],
  );
  return [...(tools ?? []), ...added];
}

/** A tool's name with its namespace. */
function fullName({ name, namespace }: { name: string; namespace?: string | undefined }): string {
  return namespace === undefined ? name : `${namespace}__${name}`;
}

function toolsOf(tool: InputTool): ToolSpec[] {
  switch (tool.type) {
    case 'function':
    case 'custom':
      return [toolOf(tool)];
    case 'namespace':
      return tool.tools.map((inner) => {
        const spec = toolOf(inner);
        return { ...spec, name: fullName({ name: spec.name, namespace: tool.name }), namespace: tool.name };
      });
    case 'tool_search':
      return tool.execution === 'client'
        ? [{ name: tool.type, description: '', schema: undefined, item: tool.type }]
        : [];
    case 'local_shell':
      return [{ name: tool.type, description: '', schema: undefined, item: tool.type }];
    case 'web_search':
    case 'web_search_2025_08_26':
    case 'web_search_preview':
    case 'web_search_preview_2025_03_11':
      return [];
    default:
      return [{ name: tool.type, description: '', schema: undefined }];
  }
}

function toolOf(tool: Extract<InputTool, { type: 'function' | 'custom' }>): ToolSpec {
  switch (tool.type) {
    case 'function':
      return {
        name: tool.name,
        description: tool.description ?? '',
        schema: tool.parameters ?? undefined,
        strict: tool.strict ?? undefined,
      };
    case 'custom':
      return { name: tool.name, description: tool.description ?? '', schema: undefined, custom: true };
    default:
      return tool satisfies never;
  }
}

function settingsOf(body: CountBody): Settings {
  return {
    choices: 1,
    stop: [],
    effort: body.reasoning?.effort ?? undefined,
    showReasoning: (body.reasoning?.summary ?? body.reasoning?.generate_summary) != null,
    verbosity: body.text?.verbosity ?? undefined,
    toolChoice: toolChoiceOf(body.tool_choice),
    parallelToolCalls: body.parallel_tool_calls ?? undefined,
    responseFormat: responseFormatOf(body.text?.format),
  };
}

/** The settings of a body for a response, which a token count lacks. */
export function samplingOf(body: ResponsesBody): Partial<Settings> {
  const logprobs = body.include?.includes('message.output_text.logprobs') === true;
  return {
    limit: body.max_output_tokens ?? undefined,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    logprobs: logprobs ? (body.top_logprobs ?? 0) : undefined,
    user: body.safety_identifier ?? body.user ?? undefined,
    cacheKey: body.prompt_cache_key ?? undefined,
    serviceTier: body.service_tier ?? undefined,
    metadata: body.metadata ?? undefined,
    store: body.store ?? undefined,
  };
}

/** What a tool choice names: a tool of the client by its name, one of the provider by its type. */
export function chosenName(chosen: { type: string; name?: string }): string {
  return chosen.name ?? chosen.type;
}

function toolChoiceOf(choice: CountBody['tool_choice']): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (choice === 'required') return { kind: 'any' };
  if (typeof choice === 'string') return { kind: choice };
  if (choice.type !== 'allowed_tools') return { kind: 'tool', name: chosenName(choice) };
  return { kind: choice.mode === 'required' ? 'any' : 'auto', names: choice.tools.map(chosenName) };
}

function responseFormatOf(format: NonNullable<CountBody['text']>['format']): ResponseFormat | undefined {
  switch (format?.type) {
    case undefined:
    case 'text':
      return undefined;
    case 'json_object':
      return { kind: 'json' };
    case 'json_schema':
      return { kind: 'schema', schema: format.schema, strict: format.strict === true };
    default:
      return format satisfies never;
  }
}
