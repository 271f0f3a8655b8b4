import type { FunctionTool } from '../../canonical/tool.ts';
import { isSet, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { decodeCacheControl } from '../shared/cache.ts';
import { type InputTool, toolSchema } from '../shared/schema.ts';
import { warnOfUnknownMembers } from './decode-blocks.ts';
import { definitionOf } from './defined-tools.ts';
import { isDescribedByClient, isRunByClient } from './tool-kinds.ts';

/** Members of a tool that are decoded, or have no effect if the complete tool is sent and the model calls it. */
const TOOL_MEMBERS: readonly string[] = [
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
  'cache_control',
  'allowed_callers',
  'defer_loading',
  'eager_input_streaming',
];

/** The tools at the end of a conversation, which can add and remove tools on its way. */
export class ToolSet {
  readonly #diagnostics: Diagnostics;
  readonly #tools = new Map<string, FunctionTool>();

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics;
  }

  get tools(): readonly FunctionTool[] {
    return [...this.#tools.values()];
  }

  /** Adds a tool, unless the provider runs it: the policies warn of those. */
  add(tool: InputTool, at: string): void {
    if (!isRunByClient(tool)) return;
    const decoded = decodeTool(tool, at, this.#diagnostics);
    if (decoded !== undefined) this.#tools.set(decoded.name, decoded);
  }

  /** Applies a `tool_addition` or `tool_removal`. A reference adds nothing, since deferred tools are sent from the start. */
  change(type: 'tool_addition' | 'tool_removal', tool: JsonRecord, at: string): void {
    if (type === 'tool_removal') {
      this.#tools.delete(stringOr(tool['name']));
      return;
    }
    if (tool['type'] !== 'tool_definition') return;
    const read = toolSchema.safeParse(recordOr(tool['definition']));
    if (read.success) this.add(read.data, `${at}.tool.definition`);
    else this.#diagnostics.reject(`${at}.tool.definition`, 'expected a tool');
  }
}

function decodeTool(tool: InputTool, at: string, diagnostics: Diagnostics): FunctionTool | undefined {
  const { name, description, input_schema: schema, strict, type } = tool;
  if (!isDescribedByClient(tool)) {
    const definition = definitionOf(type ?? '');
    if (definition !== undefined) {
      return { type: 'function', name: name ?? '', ...definition, at, ...decodeCacheControl(tool.cache_control) };
    }
    diagnostics.warn(`${at}.type`, "left out, since this model's provider does not know tools that Anthropic defines");
    return undefined;
  }
  warnOfUnknownMembers(tool, TOOL_MEMBERS, at, diagnostics);
  return {
    type: 'function',
    name: name ?? '',
    ...(isSet(description) && { description }),
    ...(isSet(schema) && { parameters: schema }),
    ...(isSet(strict) && { strict }),
    at,
    ...decodeCacheControl(tool.cache_control),
  };
}
