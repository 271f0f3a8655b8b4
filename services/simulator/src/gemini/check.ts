import { unwrapReasoning } from '../model/wrapped-reasoning.ts';
import { turnsFault } from './check-turns.ts';
import type { GenerateBody, InputPart } from './schema.ts';
import { schemaFault } from './schema-proto.ts';

/** Fields that exclude each other in a part, one of which is required. */
const DATA_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;

/** The signature that Google's guide recommends to callers without one. */
const PLACEHOLDERS = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];
/** SDKs that take bytes encode them once more. */
const BYPASSES = [...PLACEHOLDERS, ...PLACEHOLDERS.map((text) => Buffer.from(text).toString('base64'))];
const MEDIA_TYPES =
  /^(image\/(png|jpeg|webp|heic|heif|gif)|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/[\w.+-]+|application\/json)$/;

/** The first reason why Google would reject a body that fits the schema. */
export function faultOf(body: GenerateBody): string | undefined {
  return contentsFault(body) ?? turnsFault(body.contents) ?? toolsFault(body) ?? configFault(body);
}

/** As {@link faultOf}, for a count, which may be of a part of a conversation: Gemini CLI counts results without their call. */
export function countFaultOf(body: GenerateBody): string | undefined {
  return contentsFault(body) ?? toolsFault(body) ?? configFault(body);
}

function contentsFault(body: GenerateBody): string | undefined {
  if (body.cachedContent !== undefined) return 'CachedContent not found (or permission denied)';
  for (const [index, content] of [
    ...body.contents,
    ...(body.systemInstruction ? [body.systemInstruction] : []),
  ].entries()) {
    for (const [at, part] of content.parts.entries()) {
      const fault = partFault(part, `contents[${index}].parts[${at}]`);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function partFault(part: InputPart, path: string): string | undefined {
  const present = DATA_FIELDS.filter((field) => part[field] !== undefined);
  if (present.length === 0)
    return `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`;
  if (present.length > 1)
    return `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${present[1]}'`;
  const media = part.inlineData ?? part.fileData;
  if (media?.mimeType !== undefined && !MEDIA_TYPES.test(media.mimeType))
    return `Unsupported MIME type: ${media.mimeType}`;
  const uri = part.fileData?.fileUri;
  if (
    uri !== undefined &&
    (!uri.startsWith('https://') || uri.startsWith('https://generativelanguage.googleapis.com/'))
  ) {
    return `You do not have permission to access the File ${uri.split('/').at(-1)} or it may not exist.`;
  }
  const signature = part.thoughtSignature;
  if (signature === undefined || BYPASSES.includes(signature)) return undefined;
  // A signature comes back in the part it came with: that of a call not on another.
  const signed = unwrapReasoning('gemini', signature);
  const isOfPart = signed?.item === undefined || signed.item === part.functionCall?.name;
  return signed === undefined || !isOfPart ? 'Thought signature is not valid.' : undefined;
}

function toolsFault(body: GenerateBody): string | undefined {
  const names: string[] = [];
  if (body.tools?.some((tool) => tool.googleSearchRetrieval !== undefined)) {
    return 'google_search_retrieval is not supported. Please use google_search tool instead.';
  }
  for (const [index, tool] of (body.tools ?? []).entries()) {
    for (const [at, declared] of (tool.functionDeclarations ?? []).entries()) {
      if (names.includes(declared.name)) return `Duplicate function declaration found: ${declared.name}`;
      names.push(declared.name);
      const path = `* GenerateContentRequest.tools[${index}].function_declarations[${at}]`;
      if (declared.parameters !== undefined && declared.parametersJsonSchema !== undefined) {
        return `${path}: parameters and parameters_json_schema must not both be set`;
      }
      const fault = schemaFault(declared.parameters, `${path}.parameters`);
      if (fault !== undefined) return fault;
    }
  }
  if (names.length > 0 && hasBuiltIn(body) && body.toolConfig?.includeServerSideToolInvocations !== true) {
    return 'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.';
  }
  const config = body.toolConfig?.functionCallingConfig;
  if (config === undefined) return undefined;
  const mode = config.mode ?? 'AUTO';
  if (names.length === 0 && (mode === 'ANY' || mode === 'VALIDATED')) {
    return 'Function calling config is set without function_declarations.';
  }
  const allowed = config.allowedFunctionNames ?? [];
  if (allowed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    return '`allowed_function_names` should only be set when function calling mode is ANY or VALIDATED.';
  }
  const unknown = allowed.find((name) => !names.includes(name));
  return unknown === undefined
    ? undefined
    : `allowed_function_names contains a function that is not declared: ${unknown}`;
}

/** Whether a request has a tool that Google runs. */
export function hasBuiltIn({ tools = [] }: GenerateBody): boolean {
  return tools.some(({ functionDeclarations: _, ...others }) => Object.keys(others).length > 0);
}

function configFault(body: GenerateBody): string | undefined {
  const config = body.generationConfig;
  if (config === undefined) return undefined;
  if (config.logprobs !== undefined && config.responseLogprobs !== true) {
    return 'logprobs can only be set when response_logprobs is true.';
  }
  const schema = config.responseSchema ?? config.responseJsonSchema;
  if (config.responseSchema !== undefined && config.responseJsonSchema !== undefined) {
    return 'response_schema and response_json_schema must not both be set.';
  }
  if (
    schema !== undefined &&
    config.responseMimeType !== 'application/json' &&
    config.responseMimeType !== 'text/x.enum'
  ) {
    return 'response_schema is only supported with response mime type application/json or text/x.enum';
  }
  const thinking = config.thinkingConfig;
  if (thinking?.thinkingBudget !== undefined && thinking.thinkingLevel !== undefined) {
    return 'You can only set only one of thinking budget and thinking level.';
  }
  if (thinking?.thinkingBudget === 0 && thinking.includeThoughts === true) {
    return 'Thinking_config.include_thoughts is only enabled when thinking is enabled.';
  }
  return schemaFault(config.responseSchema, '* GenerateContentRequest.generation_config.response_schema');
}
