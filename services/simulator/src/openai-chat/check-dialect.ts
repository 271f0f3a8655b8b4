import { hasRule } from '../model/model-rules.ts';
import type { Fault } from './check.ts';
import type { ChatBody, ChatMessage } from './schema.ts';

type Check = (body: ChatBody) => Fault | undefined;
type Assistant = ChatMessage & { role: 'assistant' };

/** What providers of chat completions reject, by the name after `as-` in a model's rules. In their words where these are known. */
const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  openai: [
    unknownFields(['thinking', 'reasoning', 'enable_thinking', 'chat_template_kwargs', 'max_tokens']),
    noReasoning,
  ],
  openrouter: [noFields(['reasoning_content'], (path, field) => `${path}: unrecognized key ${field}`)],
  groq: [
    noFields(['reasoning_content', 'reasoning_details'], groqWords),
    unknownFields(['store', 'verbosity', 'prompt_cache_key', 'logprobs', 'logit_bias', 'thinking', 'reasoning']),
    oneChoice("'n' : number must be at most 1"),
    noNames,
  ],
  mistral: [
    unknownFields(
      ['max_completion_tokens', 'seed', 'stream_options', 'user', 'logprobs', 'reasoning', 'thinking'],
      extra,
    ),
    noFields(['reasoning_content', 'reasoning', 'reasoning_details'], () => 'Extra inputs are not permitted'),
    shortIds,
    noDeveloper("Input should be 'system', 'user', 'assistant' or 'tool'"),
  ],
  deepseek: [
    noDeveloper('unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`'),
    thinkingBack('The `reasoning_content` in the thinking mode must be passed back to the API.'),
    noSchema('This response_format type is unavailable now'),
    noForcedCalls('deepseek-reasoner does not support this tool_choice'),
  ],
  xai: [
    unknownFields(
      ['stop', 'presence_penalty', 'frequency_penalty'],
      (field) => `Argument not supported on this model: ${field}`,
    ),
  ],
  // It takes reasoning under both of its names: https://github.com/togethercomputer/together-typescript.
  together: [noDeveloper('Input validation error')],
  fireworks: [
    noDeveloper('Input should be system, user, assistant or tool'),
    noFields(['reasoning', 'reasoning_details'], extraWords),
    unknownFields(['thinking', 'enable_thinking'], extra),
    oneLimit,
  ],
  cerebras: [
    noFields(
      ['reasoning_content', 'reasoning_details'],
      (path, field) => `${path}.assistant.${field}: property '${path}.assistant.${field}' is unsupported`,
    ),
    // `logit_bias` has no effect, but is taken: https://github.com/pydantic/pydantic-ai/pull/7653.
    unknownFields(['store', 'verbosity', 'prompt_cache_key', 'max_tokens', 'thinking', 'enable_thinking']),
    noDeveloper('role developer is not supported'),
  ],
  perplexity: [
    unknownFields(
      ['tools', 'tool_choice', 'logit_bias', 'max_completion_tokens'],
      (field) => `${field} is not supported for this model`,
    ),
    noDeveloper('Invalid role: developer'),
    alternating,
    noReasoning,
  ],
  moonshot: [
    noDeveloper('role developer is not supported'),
    thinkingBack('thinking is enabled but reasoning_content is missing in assistant tool call message'),
    noForcedCalls("tool_choice 'required' is incompatible with thinking enabled"),
    fixedTemperature,
    oneChoice('invalid n: only 1 is allowed for this model'),
    (body) =>
      body.thinking != null && body.reasoning_effort != null
        ? fault("cannot specify both 'thinking' and 'reasoning_effort'", 'thinking')
        : undefined,
  ],
  zhipu: [
    noDeveloper('Incorrect role information'),
    noSchema('response_format type is not supported'),
    noForcedCalls('tool_choice only supports auto'),
    unknownFields(['reasoning_effort', 'enable_thinking', 'max_completion_tokens', 'logit_bias']),
  ],
  qwen: [
    noDeveloper("developer is not one of ['system', 'assistant', 'user', 'tool', 'function']"),
    noForcedCalls('The tool_choice parameter does not support being set to required or object in thinking mode'),
    unknownFields(['reasoning_effort', 'max_completion_tokens', 'thinking']),
  ],
  vllm: [
    systemFirst,
    objectArguments('Expecting value: line 1 column 1 (char 0)'),
    noFields(['reasoning_content'], extraWords),
  ],
  sglang: [
    systemFirst,
    objectArguments('Expecting value: line 1 column 1 (char 0)'),
    noFields(['reasoning'], extraWords),
  ],
  ollama: [
    noDeveloper('invalid role: developer'),
    objectArguments('invalid tool call arguments'),
    oneChoice('n is not supported'),
    unknownFields(['max_completion_tokens', 'chat_template_kwargs']),
  ],
  'lm-studio': [noDeveloper("Invalid 'messages' in payload"), systemFirst, unknownFields(['max_completion_tokens'])],
  'llama-cpp': [
    oneChoice('Only one completion choice is allowed'),
    objectArguments('Failed to parse tool call arguments as JSON'),
    systemFirst,
    noFields(['reasoning', 'reasoning_details'], extraWords),
  ],
};

/** What the provider that a model stands for rejects; for a model of none, the fields that OpenAI does not know. */
export function dialectFault(body: ChatBody): Fault | undefined {
  const dialect = Object.keys(CHECKS).find((name) => hasRule(body.model, `as-${name}`));
  const checks =
    dialect === undefined
      ? [unknownFields(FOREIGN), noFields(['reasoning'], extraWords), noThinkingParts]
      : (CHECKS[dialect] ?? []);
  const others = [noThinkingParts, unknownFields(['random_seed']), noFields(['prefix'], extraWords)];
  for (const check of dialect === 'mistral' ? checks : [...others, ...checks]) {
    const found = check(body);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Fields of other providers. */
const FOREIGN = ['thinking', 'reasoning', 'enable_thinking', 'thinking_budget', 'chat_template_kwargs'] as const;

type BodyField = keyof ChatBody & string;

function fault(message: string, param: string | null): Fault {
  return { message, param, code: null };
}

function extra(field: string): string {
  return `Extra inputs are not permitted: body.${field}`;
}

function extraWords(path: string, field: string): string {
  return `Extra inputs are not permitted, field: '${path}.${field}'`;
}

function groqWords(path: string, field: string): string {
  return `'${path}' : for 'role:assistant' the following must be satisfied[('${path}' : property '${field}' is unsupported)]`;
}

function unknownFields(
  fields: readonly BodyField[],
  words: (field: string) => string = (field) => `property '${field}' is unsupported`,
): Check {
  return (body) => {
    const found = fields.find((field) => body[field] != null);
    return found === undefined ? undefined : fault(words(found), found);
  };
}

function assistants(body: ChatBody): (readonly [number, Assistant])[] {
  return body.messages.flatMap((message, index) => (message.role === 'assistant' ? [[index, message] as const] : []));
}

type AssistantField = 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'prefix';

function noFields(fields: readonly AssistantField[], words: (path: string, field: string) => string): Check {
  return (body) => {
    for (const [index, message] of assistants(body)) {
      const found = fields.find((field) => message[field] != null);
      if (found !== undefined) return fault(words(`messages.${index}`, found), null);
    }
    return undefined;
  };
}

function noReasoning(body: ChatBody): Fault | undefined {
  return noFields(['reasoning_content', 'reasoning', 'reasoning_details'], extraWords)(body);
}

function noThinkingParts(body: ChatBody): Fault | undefined {
  const found = assistants(body).find(
    ([, { content }]) => Array.isArray(content) && content.some(({ type }) => type === 'thinking'),
  );
  return (
    found && fault(`Invalid value: 'thinking'. Supported values are: 'text' and 'refusal'.`, `messages[${found[0]}]`)
  );
}

/** Fireworks takes either name of the output limit: https://docs.fireworks.ai/api-reference/post-chatcompletions. */
function oneLimit({ max_tokens: older, max_completion_tokens: newer }: ChatBody): Fault | undefined {
  return older != null && newer != null
    ? fault('max_tokens and max_completion_tokens cannot be set together', 'max_tokens')
    : undefined;
}

function noNames(body: ChatBody): Fault | undefined {
  const index = body.messages.findIndex((message) => message.role !== 'tool' && message.name != null);
  return index < 0 ? undefined : fault(`'messages.${index}' : property 'name' is unsupported`, null);
}

function oneChoice(message: string): Check {
  return ({ n }) => (n != null && n > 1 ? fault(message, 'n') : undefined);
}

function noDeveloper(message: string): Check {
  return ({ messages }) => {
    const index = messages.findIndex(({ role }) => role === 'developer');
    return index < 0 ? undefined : fault(`messages[${index}].role: ${message}`, null);
  };
}

function shortIds(body: ChatBody): Fault | undefined {
  const ids = body.messages.flatMap((message) => {
    if (message.role === 'tool') return [message.tool_call_id];
    return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [];
  });
  const wrong = ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
  return wrong === undefined
    ? undefined
    : fault(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`, null);
}

/** Both think unless it is disabled, and then want reasoning at every message with calls. */
function thinkingBack(message: string): Check {
  return (body) => {
    if (body.thinking?.['type'] === 'disabled') return undefined;
    const missing = assistants(body).find(([, each]) => each.tool_calls != null && each.reasoning_content == null);
    return missing && fault(message, null);
  };
}

function noSchema(message: string): Check {
  return ({ response_format: format }) =>
    format?.type === 'json_schema' ? fault(message, 'response_format') : undefined;
}

function noForcedCalls(message: string): Check {
  return ({ tool_choice: choice }) =>
    choice != null && choice !== 'auto' && choice !== 'none' ? fault(message, 'tool_choice') : undefined;
}

function fixedTemperature({ temperature }: ChatBody): Fault | undefined {
  return temperature != null && temperature !== 1
    ? fault('invalid temperature: only 1 is allowed for this model', 'temperature')
    : undefined;
}

function systemFirst({ messages }: ChatBody): Fault | undefined {
  const late = messages.findIndex(({ role }, index) => index > 0 && (role === 'system' || role === 'developer'));
  return late < 0 ? undefined : fault('System message must be at the beginning.', null);
}

function alternating({ messages }: ChatBody): Fault | undefined {
  const said = messages.filter(({ role }) => role !== 'system');
  const isRepeated = said.some(({ role }, index) => index > 0 && said[index - 1]?.role === role);
  const message = 'After the (optional) system message(s), user or assistant role messages should alternate.';
  return isRepeated ? fault(message, 'messages') : undefined;
}

function objectArguments(message: string): Check {
  return (body) => {
    const inputs = assistants(body).flatMap(([, { tool_calls: calls }]) =>
      (calls ?? []).flatMap((call) => (call.type === 'function' ? [call.function.arguments] : [])),
    );
    return inputs.every(isObject) ? undefined : fault(message, null);
  };
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
