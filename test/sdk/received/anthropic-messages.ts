import { at, listOr, numberAt, textOr } from '../support/json.ts';
import { emptyReceived, type Media, type Received } from './received.ts';

export function readMessages(body: unknown): Received {
  const received = emptyReceived();
  const system = at(body, 'system');
  if (typeof system === 'string') received.system.push(system);
  for (const block of listOr(body, 'system')) received.system.push(textOr(block, 'text'));
  for (const message of listOr(body, 'messages')) readMessage(message, received);
  received.tools = listOr(body, 'tools').map((tool) => ({
    name: textOr(tool, 'name'),
    description: textOr(tool, 'description'),
    parameters: at(tool, 'input_schema'),
    strict: at(tool, 'strict') === true,
  }));
  received.toolChoice = toolChoiceOf(at(body, 'tool_choice'));
  received.singleCall = at(body, 'tool_choice', 'disable_parallel_tool_use') === true;
  const schema = at(body, 'output_config', 'format', 'schema');
  if (schema !== undefined) received.responseFormat = { schema };
  const thinking = textOr(body, 'thinking', 'type');
  const effort = textOr(body, 'output_config', 'effort');
  if (thinking === 'disabled') received.reasoning = 'off';
  if (thinking === 'enabled') received.reasoning = { budget: numberAt(body, 'thinking', 'budget_tokens') ?? 0 };
  if (thinking === 'adaptive' && effort !== '') received.reasoning = { effort };
  received.stop = listOr(body, 'stop_sequences').map(String);
  received.maxTokens = numberAt(body, 'max_tokens');
  if (received.maxTokens === null) throw new Error('max_tokens is required and was not sent');
  received.temperature = numberAt(body, 'temperature');
  received.topK = numberAt(body, 'top_k');
  received.userId = textOr(body, 'metadata', 'user_id');
  return received;
}

function readMessage(message: unknown, received: Received): void {
  const role = textOr(message, 'role');
  if (role === 'system') {
    received.laterInstructions.push(textOf(at(message, 'content')));
    return;
  }
  if (role !== 'user' && role !== 'assistant') throw new Error(`there is no role ${role} in Messages`);
  received.turns.push({ role, text: textOf(at(message, 'content')) });
  for (const block of listOr(message, 'content')) readBlock(block, received);
}

function readBlock(block: unknown, received: Received): void {
  if (at(block, 'cache_control') !== undefined) received.cacheHints.push(textOr(block, 'cache_control', 'type'));
  switch (textOr(block, 'type')) {
    case 'text':
      return;
    case 'image':
      received.images.push(mediaOf(block));
      return;
    case 'document':
      received.files.push(mediaOf(block));
      return;
    case 'tool_use':
      received.calls.push({ id: textOr(block, 'id'), name: textOr(block, 'name'), input: at(block, 'input') });
      return;
    case 'tool_result': {
      const images = listOr(block, 'content').filter((part) => textOr(part, 'type') === 'image');
      received.results.push({
        callId: textOr(block, 'tool_use_id'),
        name: '',
        text: textOf(at(block, 'content')),
        isError: at(block, 'is_error') === true,
        images: images.map(mediaOf),
      });
      return;
    }
    case 'thinking':
      received.thoughts.push(textOr(block, 'thinking'));
      received.signatures.push(textOr(block, 'signature'));
      return;
    case 'redacted_thinking':
      received.signatures.push(textOr(block, 'data'));
      return;
    default:
      throw new Error(`a block of type ${textOr(block, 'type')} is unexpected`);
  }
}

function mediaOf(block: unknown): Media {
  const type = textOr(block, 'source', 'type');
  if (type === 'url') return { source: textOr(block, 'source', 'url'), mediaType: '' };
  return { source: textOr(block, 'source', 'data'), mediaType: textOr(block, 'source', 'media_type') };
}

function toolChoiceOf(choice: unknown): Received['toolChoice'] {
  switch (textOr(choice, 'type')) {
    case 'any':
      return 'required';
    case 'none':
      return 'none';
    case 'tool':
      return { tool: textOr(choice, 'name') };
    default:
      return undefined;
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOr(content)
    .map((part) => textOr(part, 'text'))
    .join('');
}
