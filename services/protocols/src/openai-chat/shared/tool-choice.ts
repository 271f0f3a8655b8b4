import type { Tool, ToolChoice } from '../../canonical/tool.ts';
import { toolKinds } from '../../canonical/tool-names.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import type { ChatRequest } from './schema.ts';
import { namedTool } from './tools.ts';

/** Decodes `tool_choice`, or the older `function_call`. */
export function decodeToolChoice(
  { tool_choice: choice, function_call: old }: ChatRequest,
  diagnostics: Diagnostics,
): ToolChoice | undefined {
  if (choice === undefined || choice === null) {
    if (old === undefined || old === null) return undefined;
    return typeof old === 'string' ? { type: old } : { type: 'tool', name: old.name };
  }
  if (typeof choice === 'string') return { type: choice };
  if (choice.type !== 'allowed_tools') {
    const name = namedTool(choice);
    if (name === '') diagnostics.reject('tool_choice', 'expected a function or a custom tool with its name');
    return { type: 'tool', name };
  }
  const { mode, tools } = choice.allowed_tools ?? { mode: 'auto', tools: [] };
  const names = tools.map(namedTool);
  const unnamed = names.indexOf('');
  if (unnamed >= 0) diagnostics.reject(`tool_choice.allowed_tools.tools[${unnamed}]`, 'expected a tool with its name');
  if (names.length === 0) diagnostics.reject('tool_choice.allowed_tools', 'expected a mode and at least one tool');
  return { type: 'allowed', mode, names };
}

/** The `tool_choice`. */
export function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): string | JsonRecord {
  switch (choice.type) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.type;
    case 'tool':
      return referenceTo(choice.name, toolKinds(tools));
    case 'allowed': {
      const kinds = toolKinds(tools);
      const allowed = choice.names.map((name) => referenceTo(name, kinds));
      return { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools: allowed } };
    }
    default:
      return choice satisfies never;
  }
}

function referenceTo(name: string, kinds: ReadonlyMap<string, Tool['type']>): JsonRecord {
  return kinds.get(name) === 'custom' ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}
