import type { CanonicalRequest } from '../../canonical/request.ts';
import type { Tool } from '../../canonical/tool.ts';
import type { ToolNameRule } from '../../canonical/tool-rename.ts';
import type { JsonRecord } from '../../json/record.ts';
import { mapInStages, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';

/** Google's rule for names of functions. */
export const TOOL_NAMES: ToolNameRule = { refused: /[^A-Za-z0-9_.:-]/g, first: /^[A-Za-z_]/, maxLength: 128 };

/** Encodes tools and the tool choice: the members `tools` and `toolConfig`. */
export function* encodeTools(request: CanonicalRequest, diagnostics: Diagnostics): Stages<JsonRecord> {
  const { tools } = request;
  if (tools.length === 0) return {};
  if (request.parallelToolCalls === false) {
    diagnostics.warn(
      request.names.parallelToolCalls,
      'not known to this provider: of several calls the first is returned, and all are charged',
    );
  }
  const isStrict = tools.every((tool) => tool.type === 'function' && tool.strict === true);
  const calling = callingOf(request, isStrict);
  const isValidated = calling?.mode === 'VALIDATED' || calling?.mode === 'ANY';
  const declarations = yield* mapInStages(tools, (tool, i) => {
    diagnostics.placed(`tools[0].functionDeclarations[${i}]`, tool.at);
    if (tool.type === 'function' && tool.strict === true && !isValidated) {
      diagnostics.warn(tool.at, 'not sent as strict, since this provider supports strict only for all tools or none');
    }
    return declarationOf(tool, diagnostics);
  });
  diagnostics.placed('toolConfig', request.names.toolChoice);
  return {
    tools: [{ functionDeclarations: declarations }],
    ...(calling !== undefined && { toolConfig: { functionCallingConfig: calling } }),
  };
}

function declarationOf(tool: Tool, diagnostics: Diagnostics): JsonRecord {
  if (tool.type === 'custom') {
    diagnostics.reject(tool.at, "this model's provider has no tools with plain-text input");
  }
  const parameters = tool.type === 'function' ? tool.parameters : undefined;
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    ...(parameters !== undefined && { parametersJsonSchema: parameters }),
  };
}

interface Calling {
  readonly mode: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED';
  readonly allowedFunctionNames?: readonly string[];
}

/** With `ANY` and `VALIDATED` Google enforces the schemas, as strict tools require. */
function callingOf({ toolChoice }: CanonicalRequest, isStrict: boolean): Calling | undefined {
  switch (toolChoice?.type) {
    case undefined:
      return isStrict ? { mode: 'VALIDATED' } : undefined;
    case 'auto':
      return { mode: isStrict ? 'VALIDATED' : 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [toolChoice.name] };
    case 'allowed':
      return {
        mode: toolChoice.mode === 'required' ? 'ANY' : 'VALIDATED',
        allowedFunctionNames: toolChoice.names,
      };
    default:
      return toolChoice satisfies never;
  }
}
