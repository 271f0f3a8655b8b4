import type { BufferedResponse } from '../exchange/buffered-response.ts';
import { unwrapReasoning } from '../model/wrapped-reasoning.ts';
import { errorResponse, invalidRequest } from '../openai-chat/errors.ts';
import { strictSchemaFault } from '../validation/strict-schema.ts';
import { modelRefusal } from './check-model.ts';
import { chosenName, declaredTools } from './request.ts';
import type { CountBody, InputItem, InputTool, ResponsesBody } from './schema.ts';
import { isWebSearch } from './web-schema.ts';

/** The first reason why OpenAI would reject a body that fits the schema, as an error response. */
export function faultOf(body: CountBody | ResponsesBody): BufferedResponse | undefined {
  return (
    storedRefusal(body) ??
    itemsRefusal(body.input) ??
    toolsRefusal(body) ??
    formatRefusal(body) ??
    streamRefusal(body) ??
    modelRefusal(body)
  );
}

/** The simulated provider stores nothing, so no stored item exists. */
function storedRefusal(body: CountBody | ResponsesBody): BufferedResponse | undefined {
  if (body.previous_response_id != null) {
    const message = `Previous response with id '${body.previous_response_id}' not found.`;
    return invalidRequest(message, 'previous_response_id', 'previous_response_not_found');
  }
  if (body.conversation != null) return missing('Conversation not found.', 'conversation');
  if ('prompt' in body && body.prompt != null) return missing('Prompt not found.', 'prompt');
  if ('background' in body && body.background === true) {
    return invalidRequest('Background mode is not supported by this model.', 'background', 'unsupported_value');
  }
  if (body.input == null)
    return invalidRequest("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  return undefined;
}

function itemsRefusal(input: CountBody['input']): BufferedResponse | undefined {
  if (input == null || typeof input === 'string') return undefined;
  const open = new Set<string>();
  for (const [index, item] of input.entries()) {
    const path = `input[${index}]`;
    const refusal = itemRefusal(item, input[index + 1], open, path);
    if (refusal !== undefined) return refusal;
  }
  const [unanswered] = open;
  return unanswered === undefined
    ? undefined
    : invalidRequest(`No tool output found for function call ${unanswered}.`, 'input');
}

function itemRefusal(
  item: InputItem,
  next: InputItem | undefined,
  open: Set<string>,
  path: string,
): BufferedResponse | undefined {
  switch (item.type) {
    case 'message':
      return Array.isArray(item.content) ? contentRefusal(item.content, `${path}.content`) : undefined;
    case 'function_call':
    case 'custom_tool_call':
      open.add(item.call_id);
      return undefined;
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (!open.delete(item.call_id)) {
        return invalidRequest(`No tool call found for function call output with call_id ${item.call_id}.`, 'input');
      }
      return Array.isArray(item.output) ? contentRefusal(item.output, `${path}.output`) : undefined;
    case 'local_shell_call':
      open.add(item.call_id);
      return undefined;
    case 'tool_search_call':
      if (item.execution === 'client') open.add(item.call_id ?? '');
      return undefined;
    case 'tool_search_output':
      if (item.execution === 'client' && !open.delete(item.call_id ?? '')) {
        return invalidRequest(`No tool search call found for call_id ${item.call_id}.`, 'input');
      }
      return undefined;
    case 'local_shell_call_output':
      if (!open.delete(item.call_id)) {
        return invalidRequest(`No tool call found for local shell call output with call_id ${item.call_id}.`, 'input');
      }
      return undefined;
    case 'additional_tools':
    case 'web_search_call':
      return undefined;
    case 'reasoning':
      return reasoningRefusal(item, next, path);
    case 'compaction':
      return unwrapReasoning('compaction', item.encrypted_content) === undefined
        ? invalidRequest(
            'The encrypted content could not be verified.',
            `${path}.encrypted_content`,
            'invalid_encrypted_content',
          )
        : undefined;
    case 'item_reference':
      return notPersisted(item.id);
    default:
      return item satisfies never;
  }
}

type Content = readonly {
  type: string;
  file_id?: unknown;
  file_data?: unknown;
  filename?: unknown;
  image_url?: unknown;
  file_url?: unknown;
}[];

function contentRefusal(content: Content, path: string): BufferedResponse | undefined {
  for (const [at, part] of content.entries()) {
    if (part.type !== 'input_image' && part.type !== 'input_file') continue;
    const inner = `${path}[${at}]`;
    if (part.file_id != null) return invalidRequest(`No such file: '${String(part.file_id)}'.`, `${inner}.file_id`);
    if ((part.image_url ?? part.file_data ?? part.file_url) == null) {
      const field = part.type === 'input_image' ? 'image_url' : 'file_data';
      return invalidRequest(
        `Missing required parameter: '${inner}.${field}'.`,
        `${inner}.${field}`,
        'missing_required_parameter',
      );
    }
    if (part.file_data != null && part.filename == null) {
      return invalidRequest(
        `Missing required parameter: '${inner}.filename'.`,
        `${inner}.filename`,
        'missing_required_parameter',
      );
    }
  }
  return undefined;
}

/** Encrypted reasoning comes back unchanged, for its item, before what it led to. */
function reasoningRefusal(
  item: InputItem & { type: 'reasoning' },
  next: InputItem | undefined,
  path: string,
): BufferedResponse | undefined {
  const id = item.id ?? '';
  if (item.encrypted_content == null) return notPersisted(id);
  const signed = unwrapReasoning('responses', item.encrypted_content);
  if (signed === undefined || (item.id !== undefined && signed.item !== item.id)) {
    const reason =
      signed === undefined ? 'could not be decrypted or parsed' : 'item_id did not match the target item id';
    const message = `The encrypted content for item ${id} could not be verified. Reason: Encrypted content ${reason}.`;
    return invalidRequest(message, `${path}.encrypted_content`, 'invalid_encrypted_content');
  }
  const follows =
    next?.type === 'function_call' ||
    next?.type === 'custom_tool_call' ||
    next?.type === 'tool_search_call' ||
    next?.type === 'local_shell_call' ||
    next?.type === 'web_search_call' ||
    next?.type === 'reasoning' ||
    (next?.type === 'message' && next.role === 'assistant');
  if (follows) return undefined;
  return invalidRequest(`Item '${id}' of type 'reasoning' was provided without its required following item.`, 'input');
}

function notPersisted(id: string): BufferedResponse {
  const message =
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` ` +
    'set to true, or remove this item from your input.';
  return missing(message, 'input');
}

function toolsRefusal(body: CountBody): BufferedResponse | undefined {
  const tools = declaredTools(body);
  for (const [index, tool] of tools.entries()) {
    const fault = schemaFault(tool);
    if (fault === undefined) continue;
    return invalidRequest(fault, `tools[${index}].parameters`, 'invalid_function_parameters');
  }
  const hasSearch = tools.some(({ type }) => type === 'tool_search');
  if (!hasSearch && (body.tools ?? []).some(isDeferred)) {
    const message = "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.";
    return invalidRequest(message, 'tools');
  }
  const searches = tools.flatMap(({ type }) => (isWebSearch(type) ? [type] : []));
  if (body.reasoning?.effort === 'minimal' && searches.length > 0) {
    const message = `The following tools cannot be used with reasoning.effort 'minimal': ${searches.join(', ')}.`;
    return invalidRequest(message, 'tools');
  }
  const choice = body.tool_choice;
  if (choice == null || choice === 'none' || choice === 'auto') return undefined;
  if (tools.length === 0) {
    return invalidRequest("Tool choice 'required' must be specified with 'tools' parameter.", 'tool_choice');
  }
  if (choice === 'required') return undefined;
  const known = tools.flatMap((tool) => ('name' in tool ? [tool.name] : isWebSearch(tool.type) ? [tool.type] : []));
  const named = choice.type === 'allowed_tools' ? choice.tools.map(chosenName) : [chosenName(choice)];
  const unknown = named.find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  return invalidRequest(`Tool choice '${unknown}' not found in 'tools' parameter.`, 'tool_choice');
}

function isDeferred(tool: InputTool): boolean {
  if (tool.type === 'namespace') return tool.tools.some(isDeferred);
  return tool.type === 'function' && tool.defer_loading === true;
}

function schemaFault(tool: InputTool): string | undefined {
  if (tool.type === 'namespace') return tool.tools.map(schemaFault).find((fault) => fault !== undefined);
  if (tool.type !== 'function') return undefined;
  const type = tool.parameters?.['type'];
  const fault =
    tool.strict === true && tool.parameters != null
      ? strictSchemaFault(tool.parameters)
      : type !== undefined && type !== 'object'
        ? `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`
        : undefined;
  return fault === undefined ? undefined : `Invalid schema for function '${tool.name}': ${fault}`;
}

function formatRefusal(body: CountBody): BufferedResponse | undefined {
  const format = body.text?.format;
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify([body.input, body.instructions]))) {
    const message =
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.";
    return invalidRequest(message, 'input');
  }
  if (format?.type !== 'json_schema' || format.strict !== true) return undefined;
  const fault = strictSchemaFault(format.schema);
  if (fault === undefined) return undefined;
  return invalidRequest(
    `Invalid schema for response_format '${format.name}': ${fault}`,
    'text.format.schema',
    'invalid_json_schema',
  );
}

function streamRefusal(body: CountBody | ResponsesBody): BufferedResponse | undefined {
  if (!('stream_options' in body) || body.stream_options == null || ('stream' in body && body.stream === true))
    return undefined;
  return invalidRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
}

function missing(message: string, param: string): BufferedResponse {
  return errorResponse(404, { message, type: 'invalid_request_error', param, code: null });
}
