import { at, listOr, numberAt, textOr } from '../support/json.ts';
import { emptyReceived, mediaOf, parsed, type Received } from './received.ts';

export function readResponses(body: unknown): Received {
  const received = emptyReceived();
  const instructions = textOr(body, 'instructions');
  if (instructions !== '') received.system.push(instructions);
  const input = at(body, 'input');
  if (typeof input === 'string') received.turns.push({ role: 'user', text: input });
  for (const item of listOr(body, 'input')) readItem(item, received);
  const added = listOr(body, 'input').filter((item) => textOr(item, 'type') === 'additional_tools');
  received.tools = [body, ...added].flatMap((from) => listOr(from, 'tools')).flatMap((tool) => toolsOf(tool, ''));
  received.toolChoice = toolChoiceOf(at(body, 'tool_choice'));
  received.singleCall = at(body, 'parallel_tool_calls') === false;
  const form = textOr(body, 'text', 'format', 'type');
  if (form === 'json_object') received.responseFormat = 'any';
  if (form === 'json_schema') received.responseFormat = { schema: at(body, 'text', 'format', 'schema') };
  const effort = textOr(body, 'reasoning', 'effort');
  if (effort !== '') received.reasoning = effort === 'none' ? 'off' : { effort };
  received.maxTokens = numberAt(body, 'max_output_tokens');
  received.temperature = numberAt(body, 'temperature');
  if (listOr(body, 'include').includes('message.output_text.logprobs')) {
    received.logprobs = numberAt(body, 'top_logprobs') ?? 0;
  }
  const key = textOr(body, 'prompt_cache_key');
  if (key !== '') received.cacheHints.push(key);
  received.userId = textOr(body, 'safety_identifier') || textOr(body, 'user');
  if (at(body, 'store') !== false) throw new Error('the response would be stored in the account of all customers');
  return received;
}

/** A tool, or those of a namespace, whose names begin with it as calls in {@link Received} do. */
function toolsOf(tool: unknown, prefix: string): Received['tools'] {
  const name = `${prefix}${textOr(tool, 'name')}`;
  if (textOr(tool, 'type') === 'namespace')
    return listOr(tool, 'tools').flatMap((inner) => toolsOf(inner, `${name}__`));
  return [
    {
      name,
      description: textOr(tool, 'description'),
      parameters: at(tool, 'parameters'),
      // Absent means strict there.
      strict: at(tool, 'strict') !== false,
    },
  ];
}

function callName(item: unknown): string {
  const namespace = textOr(item, 'namespace');
  return namespace === '' ? textOr(item, 'name') : `${namespace}__${textOr(item, 'name')}`;
}

function readItem(item: unknown, received: Received): void {
  const type = textOr(item, 'type') || 'message';
  switch (type) {
    case 'message':
      readMessage(item, received);
      return;
    case 'function_call': {
      const input = parsed(textOr(item, 'arguments'));
      received.calls.push({ id: textOr(item, 'call_id'), name: callName(item), input });
      return;
    }
    case 'custom_tool_call':
      received.calls.push({ id: textOr(item, 'call_id'), name: callName(item), input: textOr(item, 'input') });
      return;
    case 'tool_search_call':
      received.calls.push({ id: textOr(item, 'call_id'), name: 'tool_search', input: at(item, 'arguments') });
      return;
    case 'tool_search_output':
      received.results.push({ callId: textOr(item, 'call_id'), name: '', text: '', isError: false, images: [] });
      return;
    case 'additional_tools':
      return;
    case 'custom_tool_call_output':
    case 'function_call_output': {
      const output = at(item, 'output');
      const parts = listOr(item, 'output');
      const text = typeof output === 'string' ? output : parts.map((part) => textOr(part, 'text')).join('');
      const images = parts
        .filter((part) => textOr(part, 'type') === 'input_image')
        .map((part) => mediaOf(textOr(part, 'image_url')));
      received.results.push({ callId: textOr(item, 'call_id'), name: '', text, isError: false, images });
      return;
    }
    case 'reasoning': {
      const signature = textOr(item, 'encrypted_content');
      if (signature !== '') received.signatures.push(signature);
      const reported = [...listOr(item, 'summary'), ...listOr(item, 'content')]
        .map((part) => textOr(part, 'text'))
        .join('');
      if (reported !== '') received.thoughts.push(reported);
      return;
    }
    default:
      throw new Error(`an item of type ${type} is unexpected`);
  }
}

function readMessage(item: unknown, received: Received): void {
  const role = textOr(item, 'role');
  const content = at(item, 'content');
  const parts = listOr(item, 'content');
  const text = typeof content === 'string' ? content : parts.map((part) => textOr(part, 'text')).join('');
  if (role === 'system' || role === 'developer') {
    if (received.turns.length === 0) received.system.push(text);
    else received.laterInstructions.push(text);
    return;
  }
  if (role !== 'user' && role !== 'assistant') throw new Error(`there is no role ${role} in Responses`);
  received.turns.push({ role, text });
  for (const part of parts) {
    const type = textOr(part, 'type');
    if (type === 'input_image') received.images.push(mediaOf(textOr(part, 'image_url')));
    if (type === 'input_file') received.files.push(mediaOf(textOr(part, 'file_data') || textOr(part, 'file_url')));
  }
}

function toolChoiceOf(choice: unknown): Received['toolChoice'] {
  if (choice === 'required' || choice === 'none') return choice;
  const type = textOr(choice, 'type');
  if (type === 'function') return { tool: textOr(choice, 'name') };
  if (type !== 'allowed_tools') return undefined;
  return { allowed: listOr(choice, 'tools').map((tool) => textOr(tool, 'name')) };
}
