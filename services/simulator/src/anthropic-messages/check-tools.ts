import { isObject } from '../validation/fields.ts';
import type { CountBody, InputTool } from './schema.ts';

/** Schema keywords that structured outputs do not support. */
const UNSUPPORTED = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems', 'uniqueItems'];

/** Checks tools, the tool choice, and the schemas of tools and responses. */
export function toolsFault(body: CountBody): string | undefined {
  const tools = body.tools ?? [];
  const names = tools.map((tool) => tool.name);
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  for (const [index, tool] of tools.entries()) {
    const fault = toolFault(tool, `tools.${index}`);
    if (fault !== undefined) return fault;
  }
  const choice = body.tool_choice;
  if (choice !== undefined && tools.length === 0) return 'tool_choice: may only be specified while providing tools';
  if (choice?.type === 'tool' && !names.includes(choice.name))
    return `Tool '${choice.name}' not found in provided tools`;
  const unknown = referencesIn(body).find((name) => !names.includes(name));
  if (unknown !== undefined) return `Tool reference '${unknown}' not found in available tools`;
  const schema = body.output_config?.format?.schema;
  return schema === undefined ? undefined : constrainedFault(schema, 'output_config.format.schema');
}

/** The tools that searches have found, whether the provider or the client ran them. */
function referencesIn({ messages }: CountBody): string[] {
  const names: string[] = [];
  for (const { content } of messages) {
    for (const block of typeof content === 'string' ? [] : content) {
      if (block.type === 'tool_search_tool_result' && block.content.type === 'tool_search_tool_search_result') {
        names.push(...block.content.tool_references.map((found) => found.tool_name));
      }
      if (block.type !== 'tool_result' || !Array.isArray(block.content)) continue;
      for (const inner of block.content) if (inner.type === 'tool_reference') names.push(inner.tool_name);
    }
  }
  return names;
}

function toolFault(tool: InputTool, path: string): string | undefined {
  if (Array.isArray(tool['allowed_domains']) && Array.isArray(tool['blocked_domains'])) {
    return `${path}.${tool.type}: Only one of \`allowed_domains\` or \`blocked_domains\` may be specified`;
  }
  const schema = tool['input_schema'];
  if (!isObject(schema)) return undefined;
  const inner = `${path}.custom.input_schema`;
  if (['oneOf', 'allOf', 'anyOf'].some((key) => key in schema)) {
    return `${inner}: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  }
  return tool['strict'] === true ? constrainedFault(schema, inner) : undefined;
}

function constrainedFault(schema: unknown, path: string): string | undefined {
  if (Array.isArray(schema))
    return schema.map((inner) => constrainedFault(inner, path)).find((fault) => fault !== undefined);
  if (!isObject(schema)) return undefined;
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) {
    return `${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`;
  }
  const unsupported = UNSUPPORTED.filter((key) => typeof schema[key] === 'number' || schema[key] === true);
  if (unsupported.length > 0) {
    return `${path}: For '${schema['type']}' type, properties ${unsupported.join(', ')} are not supported`;
  }
  for (const key of ['properties', '$defs', 'definitions']) {
    const group = schema[key];
    const fault = isObject(group) ? constrainedFault(Object.values(group), path) : undefined;
    if (fault !== undefined) return fault;
  }
  for (const key of ['items', 'anyOf', 'allOf']) {
    const fault = constrainedFault(schema[key], path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
