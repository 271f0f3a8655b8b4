import type { Tool, ToolChoice } from '../../canonical/tool.ts';
import { toolKinds } from '../../canonical/tool-names.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import type { ResponsesRequest } from './schema.ts';
import { joinedName } from './tool-names.ts';
import { typedToolOf } from './typed-tools.ts';

const AT = 'tool_choice';

/** Reads `tool_choice`. */
export function decodeToolChoice(
  choice: ResponsesRequest['tool_choice'],
  diagnostics: Diagnostics,
): ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (typeof choice === 'string') return { type: choice };
  if (choice.type === 'allowed_tools') {
    const tools = choice.tools ?? [];
    const names = tools.flatMap((tool) => nameOf(tool) ?? []);
    if (names.length < tools.length) return rejectChoice(`${AT}.tools`, diagnostics);
    return { type: 'allowed', mode: choice.mode ?? 'auto', names };
  }
  const name = nameOf(choice);
  return name === undefined ? rejectChoice(AT, diagnostics) : { type: 'tool', name };
}

function nameOf(tool: JsonRecord): string | undefined {
  const { type, name, namespace } = tool;
  const typed = typedToolOf(tool);
  if (typed !== undefined) return typed;
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') return undefined;
  return joinedName(name, typeof namespace === 'string' ? namespace : undefined);
}

function rejectChoice(path: string, diagnostics: Diagnostics): undefined {
  diagnostics.reject(path, "tools of this type are not available at this model's provider; choose a function instead");
  return undefined;
}

/** Writes it; a tool's own kind is looked up among the tools. */
export function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): unknown {
  const kinds = toolKinds(tools);
  const named = (name: string): JsonRecord => ({ type: kinds.get(name) ?? 'function', name });
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type;
    case 'tool':
      return named(choice.name);
    case 'allowed':
      return { type: 'allowed_tools', mode: choice.mode, tools: choice.names.map(named) };
    default:
      return choice satisfies never;
  }
}
