import { strictParameters } from '../../canonical/strict-schema.ts';
import type { CustomTool, FunctionTool, Tool } from '../../canonical/tool.ts';
import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { decodeCacheControl } from './cache.ts';
import type { ChatRequest } from './schema.ts';

type FunctionDefinition = NonNullable<ChatRequest['functions']>[number];
type CustomDefinition = NonNullable<NonNullable<ChatRequest['tools']>[number]['custom']>;

/** Reads the tools that the client runs. The policies handle those that the provider would run. */
export function* decodeTools({ tools, functions }: ChatRequest, diagnostics: Diagnostics): Stages<Tool[]> {
  const read: Tool[] = [];
  for (const [i, tool] of (tools ?? []).entries()) {
    if (isTurnOver()) yield;
    const at = `tools[${i}]`;
    const cache = { ...decodeCacheControl(tool.function ?? {}), ...decodeCacheControl(tool) };
    if (tool.type === 'function' && tool.function !== undefined) {
      read.push({ ...readFunction(tool.function), ...cache, at });
    } else if (tool.type === 'custom' && tool.custom !== undefined) {
      read.push({ ...readCustom(tool.custom, `${at}.custom`, diagnostics), ...cache, at });
    }
  }
  for (const [i, definition] of (functions ?? []).entries()) {
    if (isTurnOver()) yield;
    read.push({ ...readFunction(definition), at: `functions[${i}]` });
  }
  return read;
}

function readFunction({ name, description, parameters, strict }: FunctionDefinition): FunctionTool {
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    ...(parameters !== undefined && parameters !== null && { parameters }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function readCustom({ name, description, format }: CustomDefinition, at: string, diagnostics: Diagnostics): CustomTool {
  const tool: CustomTool = { type: 'custom', name, ...(typeof description === 'string' && { description }) };
  if (format === undefined || format === null || format['type'] === 'text') return tool;
  const { syntax, definition } = recordOr(format['grammar']);
  if (format['type'] !== 'grammar' || typeof syntax !== 'string' || typeof definition !== 'string') {
    diagnostics.reject(`${at}.format`, 'expected the type "text", or "grammar" with its syntax and definition');
    return tool;
  }
  return { ...tool, grammar: { syntax, definition } };
}

/** One element of `tools`. */
export function encodeTool(tool: Tool, diagnostics: Diagnostics): JsonRecord {
  if (tool.cache !== undefined) diagnostics.warn(tool.at, "the cache hint is not passed on to this model's provider");
  const { name, description } = tool;
  const head = { name, ...(description !== undefined && { description }) };
  switch (tool.type) {
    case 'function':
      return { type: 'function', function: { ...head, ...parametersOf(tool, diagnostics) } };
    case 'custom': {
      const { grammar } = tool;
      const format = grammar === undefined ? {} : { format: { type: 'grammar', grammar } };
      return { type: 'custom', custom: { ...head, ...format } };
    }
    default:
      return tool satisfies never;
  }
}

/** The schema of a function's input, and whether it is strict. */
function parametersOf({ parameters, strict, at }: FunctionTool, diagnostics: Diagnostics): JsonRecord {
  if (parameters === undefined) return strict === undefined ? {} : { strict };
  if (strict !== true) return { parameters, ...(strict !== undefined && { strict }) };
  const strictForm = strictParameters(parameters, at, diagnostics);
  return strictForm === undefined ? { parameters } : { parameters: strictForm, strict };
}

/** The name in an element of `tools` or a value of that shape; empty if there is none. */
export function namedTool(tool: JsonRecord): string {
  return stringOr(recordOr(tool['function'])['name']) || stringOr(recordOr(tool['custom'])['name']);
}
