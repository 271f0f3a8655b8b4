import { append } from '../../append.ts';
import type { EncodeNotes } from '../../canonical/encode-notes.ts';
import { strictSchema } from '../../canonical/strict-schema.ts';
import type { FunctionTool, Tool } from '../../canonical/tool.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../stages.ts';
import { joinedName } from './tool-names.ts';

/** Reads a tool that the client runs; one of a namespace comes with the namespace in its name. */
export function* readTool(tool: JsonRecord, at: string, notes: EncodeNotes): Stages<Tool[]> {
  const { type, name: namespace, tools } = tool;
  if (type !== 'namespace') return readOne(tool, '', at, notes);
  if (!Array.isArray(tools)) return [];
  const read: Tool[] = [];
  for (const [index, inner] of tools.entries()) {
    if (isTurnOver()) yield;
    append(read, readOne(recordOr(inner), stringOr(namespace), `${at}.tools[${index}]`, notes));
  }
  return read;
}

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);
const CUSTOM_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'format']);

function readOne(tool: JsonRecord, namespace: string, at: string, notes: EncodeNotes): Tool[] {
  const { type, name, description, parameters, strict } = tool;
  if ((type !== 'function' && type !== 'custom') || typeof name !== 'string') {
    notes.refuse(at, 'tools of this type cannot be passed on to this model; declare a function in its place');
    return [];
  }
  const known = type === 'function' ? FUNCTION_FIELDS : CUSTOM_FIELDS;
  for (const [key, value] of Object.entries(tool)) {
    if (known.has(key) || value === null || value === false) continue;
    notes.warn(`${at}.${key}`, "not passed on to this model's provider");
  }
  const common = {
    name: joinedName(name, namespace),
    ...(typeof description === 'string' && { description }),
    at,
  };
  if (type === 'custom') return [{ type, ...common, ...readGrammar(tool['format']) }];
  return [
    {
      type,
      ...common,
      ...(isRecord(parameters) && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  ];
}

function readGrammar(value: unknown): { readonly grammar?: { readonly syntax: string; readonly definition: string } } {
  const { type, syntax, definition } = recordOr(value);
  if (type !== 'grammar' || typeof syntax !== 'string' || typeof definition !== 'string') return {};
  return { grammar: { syntax, definition } };
}

const NO_PARAMETERS: JsonRecord = { type: 'object', properties: {} };

/** Writes a tool. What is not strict is said so, since this protocol takes functions for strict unless told. */
export function toolJson(tool: Tool, notes: EncodeNotes): JsonRecord {
  const description = tool.description === undefined ? {} : { description: tool.description };
  switch (tool.type) {
    case 'function':
      return { type: 'function', name: tool.name, ...description, ...parametersJson(tool, notes) };
    case 'custom': {
      const { name, grammar } = tool;
      const format = grammar === undefined ? { type: 'text' } : { type: 'grammar', ...grammar };
      return { type: 'custom', name, ...description, format };
    }
    default:
      return tool satisfies never;
  }
}

/** The schema of a function's input, and whether the input is held to it. */
function parametersJson({ parameters = NO_PARAMETERS, strict, at }: FunctionTool, notes: EncodeNotes): JsonRecord {
  if (strict !== true) return { parameters, strict: false };
  const held = strictSchema(parameters);
  if (held !== undefined) return { parameters: held, strict };
  notes.warn(at, "not sent as strict, which this model's provider takes only of objects that demand all they list");
  return { parameters, strict: false };
}
