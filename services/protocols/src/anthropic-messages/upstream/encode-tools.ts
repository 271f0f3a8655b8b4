import type { CanonicalRequest } from '../../canonical/request.ts';
import type { FunctionTool, Tool } from '../../canonical/tool.ts';
import type { ToolNameRule } from '../../canonical/tool-rename.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { encodeCacheControl } from '../shared/cache.ts';
import { chosenTools } from '../shared/tool-choice.ts';
import { strictSchema } from './strict-schema.ts';

/** Anthropic's rule for names of tools. */
export const TOOL_NAMES: ToolNameRule = { refused: /[^a-zA-Z0-9_-]/g, first: /^/, maxLength: 128 };

/** The tools that the model may call. */
export function* encodeTools(request: CanonicalRequest, diagnostics: Diagnostics): Stages<JsonRecord[]> {
  const tools: JsonRecord[] = [];
  for (const tool of chosenTools(request)) {
    if (isTurnOver()) yield;
    const written = toolOf(tool, diagnostics);
    if (written === undefined) continue;
    diagnostics.placed(`tools[${tools.length}]`, tool.at);
    tools.push(written);
  }
  return tools;
}

function toolOf(tool: Tool, diagnostics: Diagnostics): JsonRecord | undefined {
  if (tool.type === 'custom') {
    diagnostics.reject(tool.at, "this model's provider has no tools with plain-text input");
    return undefined;
  }
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    ...inputOf(tool, diagnostics),
    ...(tool.cache !== undefined && { cache_control: encodeCacheControl(tool.cache) }),
  };
}

/** The schema of a call's input, and whether it is strict. */
function inputOf({ parameters, strict, at }: FunctionTool, diagnostics: Diagnostics): JsonRecord {
  const schema = schemaOf(parameters);
  if (strict !== true) return { input_schema: schema };
  const strictForm = strictSchema(schema);
  if (strictForm?.reported.size === 0) return { input_schema: strictForm.schema, strict: true };
  diagnostics.warn(
    at,
    "not sent as strict, since this model's provider cannot hold a call to all that its schema says",
  );
  return { input_schema: schema };
}

/** Anthropic requires the schema to have the type object. */
function schemaOf(parameters: JsonRecord | undefined): JsonRecord {
  if (parameters === undefined) return { type: 'object', properties: {} };
  return parameters['type'] === undefined ? { type: 'object', ...parameters } : parameters;
}
