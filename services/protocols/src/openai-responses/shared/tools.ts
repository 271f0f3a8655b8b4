import { strictParameters } from '../../canonical/strict-schema.ts';
import type { FunctionTool, Tool } from '../../canonical/tool.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { append, isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { joinedName } from './tool-names.ts';
import { typedFunction, typedToolOf } from './typed-tools.ts';

/**
 * Reads a tool that the client runs; one of a namespace comes with the namespace in its name. A tool that the protocol
 * defines becomes a function, or is left out with a warning if that cannot describe it. Deferred tools are like all others:
 * where they are sent, they are loaded.
 */
export function* decodeTool(tool: JsonRecord, at: string, diagnostics: Diagnostics): Stages<Tool[]> {
  const { type, name: namespace, tools } = tool;
  if (type !== 'namespace') return decodeSingle(tool, '', at, diagnostics);
  if (!Array.isArray(tools)) return [];
  const read: Tool[] = [];
  for (const [index, inner] of tools.entries()) {
    if (isTurnOver()) yield;
    append(read, decodeSingle(recordOr(inner), stringOr(namespace), `${at}.tools[${index}]`, diagnostics));
  }
  return read;
}

const SHARED_FIELDS = ['type', 'name', 'description', 'defer_loading'];
const FUNCTION_FIELDS: ReadonlySet<string> = new Set([...SHARED_FIELDS, 'parameters', 'strict']);
const CUSTOM_FIELDS: ReadonlySet<string> = new Set([...SHARED_FIELDS, 'format']);

function decodeSingle(tool: JsonRecord, namespace: string, at: string, diagnostics: Diagnostics): Tool[] {
  const { type, name, description, parameters, strict } = tool;
  const typed = typedToolOf(tool);
  if (typed !== undefined) return [{ type: 'function', name: typed, ...typedFunction(typed, tool), at }];
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') {
    diagnostics.warn(at, "left out, since tools of this type are not available at this model's provider");
    return [];
  }
  const known = type === 'function' ? FUNCTION_FIELDS : CUSTOM_FIELDS;
  for (const [key, value] of Object.entries(tool)) {
    if (known.has(key) || value === null || value === false) continue;
    diagnostics.warn(`${at}.${key}`, "not passed on to this model's provider");
  }
  const common = {
    name: joinedName(name, namespace),
    ...(typeof description === 'string' && { description }),
    at,
  };
  if (type === 'custom') return [{ type, ...common, ...decodeGrammar(tool['format']) }];
  return [
    {
      type,
      ...common,
      ...(isRecord(parameters) && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  ];
}

function decodeGrammar(value: unknown): {
  readonly grammar?: { readonly syntax: string; readonly definition: string };
} {
  const { type, syntax, definition } = recordOr(value);
  if (type !== 'grammar' || typeof syntax !== 'string' || typeof definition !== 'string') return {};
  return { grammar: { syntax, definition } };
}

const NO_PARAMETERS: JsonRecord = { type: 'object', properties: {} };

/** Encodes a tool. `strict: false` is explicit, since functions are strict by default in this protocol. */
export function encodeTool(tool: Tool, diagnostics: Diagnostics): JsonRecord {
  const description = tool.description === undefined ? {} : { description: tool.description };
  switch (tool.type) {
    case 'function':
      return { type: 'function', name: tool.name, ...description, ...parametersJson(tool, diagnostics) };
    case 'custom': {
      const { name, grammar } = tool;
      const format = grammar === undefined ? { type: 'text' } : { type: 'grammar', ...grammar };
      return { type: 'custom', name, ...description, format };
    }
    default:
      return tool satisfies never;
  }
}

/** The schema of a function's input, and whether it is strict. */
function parametersJson(
  { parameters = NO_PARAMETERS, strict, at }: FunctionTool,
  diagnostics: Diagnostics,
): JsonRecord {
  if (strict !== true) return { parameters, strict: false };
  const strictForm = strictParameters(parameters, at, diagnostics);
  return strictForm === undefined ? { parameters, strict: false } : { parameters: strictForm, strict };
}
