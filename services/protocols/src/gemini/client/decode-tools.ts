import type { FunctionTool, ToolChoice } from '../../canonical/tool.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { GeminiFunction, GeminiRequest } from '../shared/schema.ts';
import { toJsonSchema } from './json-schema.ts';
import type { RequestDiagnostics } from './request-diagnostics.ts';

export interface DecodedTools {
  readonly tools: readonly FunctionTool[];
  readonly toolChoice: ToolChoice | undefined;
}

const KNOWN: ReadonlySet<string> = new Set(['name', 'description', 'parameters', 'parametersJsonSchema', 'behavior']);
const KNOWN_OF_CONFIG: ReadonlySet<string> = new Set(['functionCallingConfig']);
const KNOWN_OF_CALLING: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames']);

/** The client's functions and how they may be called. The policies drop tools of the provider. */
export function* decodeTools(request: GeminiRequest, diagnostics: RequestDiagnostics): Stages<DecodedTools> {
  const config = request.toolConfig ?? {};
  diagnostics.unknown(config, KNOWN_OF_CONFIG, 'toolConfig');
  const calling = config.functionCallingConfig ?? {};
  const path = 'toolConfig.functionCallingConfig';
  diagnostics.unknown(calling, KNOWN_OF_CALLING, path);
  const names = calling.allowedFunctionNames ?? [];
  const mode = calling.mode?.toUpperCase();
  const tools: FunctionTool[] = [];
  for (const [i, tool] of (request.tools ?? []).entries()) {
    if (isTurnOver()) yield;
    for (const [j, declared] of (tool.functionDeclarations ?? []).entries()) {
      if (isTurnOver()) yield;
      const isValidated = mode === 'VALIDATED' && names.length === 0;
      tools.push(decodeFunction(declared, `tools[${i}].functionDeclarations[${j}]`, isValidated, diagnostics));
    }
  }
  const toolChoice = choiceOf(mode, names, path, diagnostics);
  if (tools.length > 0 || toolChoice === undefined) return { tools, toolChoice };
  if (toolChoice.type !== 'auto' && toolChoice.type !== 'none')
    diagnostics.reject(`${path}.mode`, 'requires a function call, but no functions are declared');
  return { tools, toolChoice: undefined };
}

function decodeFunction(
  declared: GeminiFunction,
  path: string,
  isStrict: boolean,
  diagnostics: RequestDiagnostics,
): FunctionTool {
  diagnostics.unknown(declared, KNOWN, path);
  if (declared.behavior?.toUpperCase() === 'NON_BLOCKING') diagnostics.warnDropped(`${path}.behavior`);
  if (declared.parameters && declared.parametersJsonSchema) {
    diagnostics.reject(`${path}.parametersJsonSchema`, 'not allowed together with parameters; send only one');
  }
  const parameters =
    declared.parametersJsonSchema ?? (declared.parameters ? toJsonSchema(declared.parameters) : undefined);
  return {
    type: 'function',
    name: declared.name,
    ...(declared.description && { description: declared.description }),
    ...(parameters !== undefined && { parameters: withType(parameters) }),
    ...(isStrict && { strict: true }),
    at: diagnostics.at(path),
  };
}

/** Google treats a schema without a type as one of an object; others do not. */
function withType(schema: JsonRecord): JsonRecord {
  const isTyped = ['type', '$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => schema[key] !== undefined);
  return isTyped ? schema : { type: 'object', ...schema };
}

function choiceOf(
  mode: string | undefined,
  names: readonly string[],
  path: string,
  diagnostics: RequestDiagnostics,
): ToolChoice | undefined {
  const [only] = names;
  switch (mode) {
    case 'ANY':
      if (only === undefined) return { type: 'required' };
      return names.length === 1 ? { type: 'tool', name: only } : { type: 'allowed', mode: 'required', names };
    case 'VALIDATED':
      return only === undefined ? { type: 'auto' } : { type: 'allowed', mode: 'auto', names };
    case undefined:
    case 'AUTO':
    case 'NONE':
    case 'MODE_UNSPECIFIED':
      if (only !== undefined) {
        diagnostics.reject(`${path}.allowedFunctionNames`, 'only allowed with the mode "ANY" or "VALIDATED"');
      }
      if (mode === 'NONE') return { type: 'none' };
      return mode === 'AUTO' ? { type: 'auto' } : undefined;
    default:
      diagnostics.reject(`${path}.mode`, 'expected "AUTO", "ANY", "NONE" or "VALIDATED"');
      return undefined;
  }
}
