import type { Conversation, Part, Settings, ToolChoice, ToolSpec, Turn } from '../model/conversation.ts';
import type { WebKind, WebTool } from '../model/web.ts';
import { isObject } from '../validation/fields.ts';
import { withoutAttribution } from './attribution.ts';
import type { CountBody, InputBlock, InputMessage, InputTool, MessagesBody } from './schema.ts';

/** Converts a body of either endpoint. */
export function conversationOf(body: CountBody | MessagesBody): Conversation {
  const system = withoutAttribution(body.system);
  const instructions: Turn[] =
    system === undefined ? [] : [{ side: 'instructions', role: 'system', parts: partsOf(system) }];
  return {
    model: body.model,
    turns: [...instructions, ...body.messages.map(turnOf)],
    tools: (body.tools ?? []).filter((tool) => webKindOf(tool) === undefined && !isToolSearch(tool)).map(toolOf),
    settings: settingsOf(body),
  };
}

function turnOf(message: InputMessage): Turn {
  const side = message.role === 'system' ? 'instructions' : message.role;
  return { side, role: message.role, parts: partsOf(message.content) };
}

function partsOf(content: string | readonly InputBlock[]): Part[] {
  return typeof content === 'string' ? [{ kind: 'text', text: content }] : content.map(partOf);
}

function partOf(block: InputBlock): Part {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text, cache: ttlOf(block) };
    case 'image':
      return {
        kind: 'image',
        low: false,
        source: block.source.type === 'base64' ? 'inline' : 'url',
        cache: ttlOf(block),
      };
    case 'document': {
      const { source, title } = block;
      const described = { kind: 'file' as const, name: title ?? undefined, cache: ttlOf(block) };
      if (source.type === 'text') return { ...described, source: 'text', text: source.data };
      if (source.type === 'content') {
        const text =
          typeof source.content === 'string' ? source.content : source.content.map((part) => part.text).join('');
        return { ...described, source: 'text', text };
      }
      return { ...described, source: source.type === 'base64' ? 'inline' : 'url' };
    }
    case 'search_result':
      return { kind: 'text', text: block.content.map((part) => part.text).join(''), cache: ttlOf(block) };
    case 'tool_result':
      return {
        kind: 'tool_result',
        id: block.tool_use_id,
        parts: block.content === undefined ? [] : partsOf(block.content),
        error: block.is_error === true,
        cache: ttlOf(block),
      };
    case 'tool_use':
      return { kind: 'tool_call', id: block.id, name: block.name, arguments: JSON.stringify(block.input) };
    case 'thinking':
      return { kind: 'reasoning', text: block.thinking, signed: true };
    case 'server_tool_use':
      return { kind: 'text', text: `${block.name}${JSON.stringify(block.input)}`, cache: ttlOf(block) };
    case 'web_search_tool_result':
    case 'web_fetch_tool_result':
    case 'tool_search_tool_result':
      return { kind: 'text', text: JSON.stringify(block.content), cache: ttlOf(block) };
    case 'tool_reference':
      return { kind: 'text', text: block.tool_name, cache: ttlOf(block) };
    case 'redacted_thinking':
      return { kind: 'reasoning', text: '', signed: true };
    default:
      return block satisfies never;
  }
}

function ttlOf(block: { cache_control?: { ttl?: string | undefined } | null | undefined }): string | undefined {
  return block.cache_control == null ? undefined : (block.cache_control.ttl ?? '5m');
}

function toolOf(tool: InputTool): ToolSpec {
  const { description, input_schema: schema, strict } = tool;
  return {
    name: tool.name,
    description: typeof description === 'string' ? description : '',
    schema: isObject(schema) ? schema : undefined,
    strict: typeof strict === 'boolean' ? strict : undefined,
    cache: ttlOf(tool),
  };
}

function webKindOf(tool: InputTool): WebKind | undefined {
  if (tool.type?.startsWith('web_search_')) return 'search';
  return tool.type?.startsWith('web_fetch_') ? 'fetch' : undefined;
}

function isToolSearch({ type }: InputTool): boolean {
  return type?.startsWith('tool_search_') === true;
}

/** The web tools that the provider runs. */
export function webToolsOf({ tools = [], tool_choice: choice }: MessagesBody): WebTool[] {
  return tools.flatMap((tool) => {
    const kind = webKindOf(tool);
    if (kind === undefined || choice?.type === 'none') return [];
    const isNamed = choice?.type === 'tool' && choice.name === tool.name;
    const forced = isNamed || (tools.length === 1 && choice?.type !== 'tool');
    return [{ kind, forced, maxUses: typeof tool['max_uses'] === 'number' ? tool['max_uses'] : undefined }];
  });
}

function settingsOf(body: CountBody | MessagesBody): Settings {
  const { thinking, output_config: output } = body;
  const choice = toolChoiceOf(body.tool_choice);
  const enabled = thinking?.type === 'enabled' || thinking?.type === 'adaptive';
  const format = output?.format;
  const settings: Settings = {
    choices: 1,
    stop: [],
    effort: output?.effort ?? undefined,
    budget: budgetOf(thinking),
    showReasoning: enabled && thinking.display !== 'omitted',
    toolChoice: choice,
    parallelToolCalls: parallelOf(body.tool_choice),
    responseFormat: format == null ? undefined : { kind: 'schema', schema: format.schema, strict: true },
  };
  return isMessages(body) ? { ...settings, ...samplingOf(body) } : settings;
}

/** Whether thinking is on: only then a response has thinking blocks. */
export function thinks(body: CountBody | MessagesBody): boolean {
  return body.thinking?.type === 'enabled' || body.thinking?.type === 'adaptive';
}

function isMessages(body: CountBody | MessagesBody): body is MessagesBody {
  return 'max_tokens' in body;
}

function samplingOf(body: MessagesBody): Partial<Settings> {
  return {
    limit: body.max_tokens,
    stop: body.stop_sequences ?? [],
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    user: body.metadata?.user_id ?? undefined,
    serviceTier: body.service_tier,
  };
}

function budgetOf(thinking: MessagesBody['thinking']): number | undefined {
  switch (thinking?.type) {
    case undefined:
      return undefined;
    case 'enabled':
      return thinking.budget_tokens;
    case 'adaptive':
      return -1;
    case 'disabled':
    case 'between_tools':
      return 0;
    default:
      return thinking satisfies never;
  }
}

function toolChoiceOf(choice: MessagesBody['tool_choice']): ToolChoice | undefined {
  if (choice === undefined) return undefined;
  return choice.type === 'tool' ? { kind: 'tool', name: choice.name } : { kind: choice.type };
}

function parallelOf(choice: MessagesBody['tool_choice']): boolean | undefined {
  if (choice === undefined || choice.type === 'none' || choice.disable_parallel_tool_use === undefined)
    return undefined;
  return !choice.disable_parallel_tool_use;
}
