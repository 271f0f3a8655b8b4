import { unwrapReasoning } from '../model/wrapped-reasoning.ts';
import { strictSchemaFault } from '../validation/strict-schema.ts';
import { modelFault } from './check-model.ts';
import type { ChatBody, ChatMessage } from './schema.ts';

/** Faults for which OpenAI would reject a body that fits the schema. */
export interface Fault {
  message: string;
  param: string | null;
  code: string | null;
}

type Check = (body: ChatBody) => Fault | undefined;

/** The first fault between the fields of a body. */
export function faultOf(body: ChatBody): Fault | undefined {
  for (const check of CHECKS) {
    const fault = check(body);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const CHECKS: readonly Check[] = [
  fieldFault,
  toolTurnsFault,
  toolsFault,
  toolChoiceFault,
  formatFault,
  contentFault,
  modelFault,
];

function fieldFault(body: ChatBody): Fault | undefined {
  if (body.stream_options != null && body.stream !== true) {
    return fault("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  if (body.max_tokens != null && body.max_completion_tokens != null) {
    const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    return fault(message, 'max_tokens');
  }
  if (body.top_logprobs != null && body.logprobs !== true) {
    return fault("The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.", 'top_logprobs');
  }
  if (body.metadata != null && body.store !== true) {
    return fault("The 'metadata' parameter is only allowed when 'store' is enabled.", 'metadata');
  }
  return undefined;
}

/** Tool messages return results for all of the calls just before them, and for no others. */
function toolTurnsFault(body: ChatBody): Fault | undefined {
  let open = new Set<string>();
  for (const [index, message] of body.messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        const text = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return fault(`Invalid parameter: ${text}`, `messages.[${index}].role`);
      }
      continue;
    }
    if (open.size > 0) return unansweredFault(open, index);
    if (message.role === 'assistant') open = new Set((message.tool_calls ?? []).map((call) => call.id));
  }
  return open.size > 0 ? unansweredFault(open, body.messages.length) : undefined;
}

function unansweredFault(open: ReadonlySet<string>, index: number): Fault {
  const text =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
  return fault(text, `messages.[${index}].role`);
}

function toolsFault(body: ChatBody): Fault | undefined {
  for (const [index, tool] of (body.tools ?? []).entries()) {
    if (tool.type !== 'function') continue;
    const { name, parameters, strict } = tool.function;
    const type = parameters?.['type'];
    const wrong =
      strict === true && parameters != null
        ? strictSchemaFault(parameters)
        : type !== undefined && type !== 'object'
          ? `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`
          : undefined;
    if (wrong === undefined) continue;
    const message = `Invalid schema for function '${name}': ${wrong}`;
    return fault(message, `tools[${index}].function.parameters`, 'invalid_function_parameters');
  }
  return undefined;
}

function toolChoiceFault(body: ChatBody): Fault | undefined {
  const { tools, tool_choice: choice } = body;
  if (tools == null) {
    const lone =
      choice != null && choice !== 'none'
        ? 'tool_choice'
        : body.parallel_tool_calls != null
          ? 'parallel_tool_calls'
          : undefined;
    if (lone === undefined) return undefined;
    return fault(`Invalid value for '${lone}': '${lone}' is only allowed when 'tools' are specified.`, lone);
  }
  if (choice == null || typeof choice === 'string') return undefined;
  const known = tools.map(nameOf);
  const named = choice.type === 'allowed_tools' ? choice.allowed_tools.tools.map(nameOf) : [nameOf(choice)];
  const missing = named.find((name) => !known.includes(name));
  if (missing === undefined) return undefined;
  return fault(`Invalid value for 'tool_choice': tool '${missing}' was not found in 'tools'.`, 'tool_choice');
}

function nameOf(
  tool: { type: 'function'; function: { name: string } } | { type: 'custom'; custom: { name: string } },
): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name;
}

function formatFault(body: ChatBody): Fault | undefined {
  const format = body.response_format;
  if (format?.type === 'json_object' && !/json/i.test(JSON.stringify(body.messages))) {
    const text =
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
    return fault(text, 'messages');
  }
  if (format?.type !== 'json_schema' || format.json_schema.strict !== true) return undefined;
  const wrong = strictSchemaFault(format.json_schema.schema);
  if (wrong === undefined) return undefined;
  return fault(`Invalid schema for response_format '${format.json_schema.name}': ${wrong}`, 'response_format');
}

function contentFault(body: ChatBody): Fault | undefined {
  for (const [index, message] of body.messages.entries()) {
    const fault = message.role === 'user' ? partsFault(message, index) : assistantFault(message, index);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function partsFault(message: ChatMessage & { role: 'user' }, index: number): Fault | undefined {
  if (typeof message.content === 'string') return undefined;
  for (const [at, part] of message.content.entries()) {
    if (part.type !== 'file') continue;
    const path = `messages[${index}].content[${at}].file`;
    if (part.file.file_id !== undefined) {
      return fault(`No such file: '${part.file.file_id}'.`, `${path}.file_id`, 'not_found');
    }
    if (part.file.file_data === undefined || part.file.filename === undefined) {
      const lacking = part.file.file_data === undefined ? 'file_data' : 'filename';
      return fault(
        `Missing required parameter: '${path}.${lacking}'.`,
        `${path}.${lacking}`,
        'missing_required_parameter',
      );
    }
  }
  return undefined;
}

function assistantFault(message: ChatMessage, index: number): Fault | undefined {
  if (message.role !== 'assistant') return undefined;
  const path = `messages[${index}]`;
  if (message.content == null && message.tool_calls == null && message.refusal == null) {
    return fault(`Invalid value for 'content': expected a string, got null.`, `${path}.content`);
  }
  for (const [at, detail] of (message.reasoning_details ?? []).entries()) {
    const value = detail.signature ?? detail.data;
    if (value != null && unwrapReasoning('chat', value) === undefined) {
      return fault('The signature of this reasoning could not be verified.', `${path}.reasoning_details[${at}]`);
    }
  }
  return undefined;
}

function fault(message: string, param: string | null, code: string | null = null): Fault {
  return { message, param, code };
}
