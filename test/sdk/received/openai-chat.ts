import { at, listOr, numberAt, textOr } from '../support/json.ts';
import { emptyReceived, mediaOf, parsed, type Received } from './received.ts';

export function readChat(body: unknown): Received {
  const received = emptyReceived();
  for (const message of listOr(body, 'messages')) readMessage(message, received);
  received.tools = listOr(body, 'tools').map((tool) => ({
    name: textOr(tool, 'function', 'name') || textOr(tool, 'custom', 'name'),
    description: textOr(tool, 'function', 'description'),
    parameters: at(tool, 'function', 'parameters'),
    strict: at(tool, 'function', 'strict') === true,
  }));
  received.toolChoice = toolChoiceOf(at(body, 'tool_choice'));
  received.singleCall = at(body, 'parallel_tool_calls') === false;
  const form = textOr(body, 'response_format', 'type');
  if (form === 'json_object') received.responseFormat = 'any';
  if (form === 'json_schema')
    received.responseFormat = { schema: at(body, 'response_format', 'json_schema', 'schema') };
  const effort = textOr(body, 'reasoning_effort');
  if (effort !== '') received.reasoning = effort === 'none' ? 'off' : { effort };
  const stop = at(body, 'stop');
  received.stop = typeof stop === 'string' ? [stop] : listOr(body, 'stop').map(String);
  received.maxTokens = numberAt(body, 'max_completion_tokens') ?? numberAt(body, 'max_tokens');
  received.temperature = numberAt(body, 'temperature');
  received.seed = numberAt(body, 'seed');
  received.presencePenalty = numberAt(body, 'presence_penalty');
  received.choices = numberAt(body, 'n') ?? 1;
  if (at(body, 'logprobs') === true) received.logprobs = numberAt(body, 'top_logprobs') ?? 0;
  const key = textOr(body, 'prompt_cache_key');
  if (key !== '') received.cacheHints.push(key);
  received.userId = textOr(body, 'safety_identifier') || textOr(body, 'user');
  return received;
}

function readMessage(message: unknown, received: Received): void {
  const role = textOr(message, 'role');
  const text = textOf(at(message, 'content'));
  switch (role) {
    case 'system':
    case 'developer':
      if (received.turns.length === 0) received.system.push(text);
      else received.laterInstructions.push(text);
      return;
    case 'tool':
      received.results.push({ callId: textOr(message, 'tool_call_id'), name: '', text, isError: false, images: [] });
      return;
    case 'user':
      received.turns.push({ role, text });
      for (const part of listOr(message, 'content')) readMedia(part, received);
      return;
    case 'assistant':
      received.turns.push({ role, text });
      readAssistant(message, received);
      return;
    default:
      throw new Error(`there is no role ${role} in chat completions`);
  }
}

function readAssistant(message: unknown, received: Received): void {
  for (const call of listOr(message, 'tool_calls')) {
    const isCustom = at(call, 'custom') !== undefined;
    const name = textOr(call, isCustom ? 'custom' : 'function', 'name');
    const input = isCustom ? textOr(call, 'custom', 'input') : parsed(textOr(call, 'function', 'arguments'));
    received.calls.push({ id: textOr(call, 'id'), name, input });
    const signature = textOr(call, 'extra_content', 'google', 'thought_signature');
    if (signature !== '') received.signatures.push(signature);
  }
  const thoughts = textOr(message, 'reasoning_content');
  if (thoughts !== '') received.thoughts.push(thoughts);
  for (const detail of listOr(message, 'reasoning_details')) {
    const signature = textOr(detail, 'signature') || textOr(detail, 'data');
    if (signature !== '') received.signatures.push(signature);
  }
}

function readMedia(part: unknown, received: Received): void {
  const type = textOr(part, 'type');
  if (type === 'image_url') received.images.push(mediaOf(textOr(part, 'image_url', 'url')));
  if (type === 'file') received.files.push(mediaOf(textOr(part, 'file', 'file_data')));
  if (type === 'input_audio') {
    const source = textOr(part, 'input_audio', 'data');
    received.audio.push({ source, mediaType: `audio/${textOr(part, 'input_audio', 'format')}` });
  }
}

function toolChoiceOf(choice: unknown): Received['toolChoice'] {
  if (choice === 'required' || choice === 'none') return choice;
  const type = textOr(choice, 'type');
  if (type === 'function') return { tool: textOr(choice, 'function', 'name') };
  if (type !== 'allowed_tools') return undefined;
  return { allowed: listOr(choice, 'allowed_tools', 'tools').map((tool) => textOr(tool, 'function', 'name')) };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOr(content)
    .map((part) => textOr(part, 'text'))
    .join('');
}
