import type { ProtocolName } from '../../src/canonical/protocol-name.ts';
import { type JsonRecord, recordOr } from '../../src/json/record.ts';
import type { SseEvent } from '../../src/sse/event.ts';

/** How a client returns a response in the next turn. */
export interface Rewrite {
  readonly client: ProtocolName;
  /** The program whose code does this to its history. */
  readonly name: string;
  /** Whether it returns reasoning that no call follows. */
  readonly keepsReasoning: boolean;
  /** Whether it returns what belongs to a text. */
  readonly keepsOfText: boolean;
  /** Whether it loses the data of redacted_thinking. */
  readonly losesRedacted?: true;
  /** Whether it changes what reasoning is before which call. */
  readonly movesReasoning?: true;
  /** The turns of its next request, from the content of a response (see contentOf). */
  turns(content: readonly JsonRecord[]): readonly JsonRecord[];
}

const ALL = { keepsReasoning: true, keepsOfText: true };
const CALLS_ONLY = { keepsReasoning: false, keepsOfText: false };

export const REWRITES: readonly Rewrite[] = [
  { client: 'anthropic-messages', name: 'Anthropic SDK', ...ALL, turns: (content) => [{ role: 'assistant', content }] },
  // It keeps each block as a message of its own, and joins them with calls after other blocks.
  {
    client: 'anthropic-messages',
    name: 'Claude Code',
    ...ALL,
    turns: (content) => {
      const isCall = ({ type }: JsonRecord) => type === 'tool_use';
      const blocks = [...content.filter((block) => !isCall(block)), ...content.filter(isCall)];
      return [{ role: 'assistant', content: blocks }];
    },
  },
  {
    client: 'anthropic-messages',
    name: 'a client with a turn for each block',
    ...ALL,
    turns: (content) => content.map((block) => ({ role: 'assistant', content: [block] })),
  },
  {
    client: 'anthropic-messages',
    name: 'a client that moves reasoning behind its block',
    ...ALL,
    movesReasoning: true,
    turns: (content) => {
      const isThought = ({ type }: JsonRecord) => type === 'thinking' || type === 'redacted_thinking';
      const blocks = [...content.filter((block) => !isThought(block)), ...content.filter(isThought)];
      return [{ role: 'assistant', content: blocks }];
    },
  },
  // It loses the data of redacted_thinking, and returns the block as thinking without a signature.
  {
    client: 'anthropic-messages',
    name: 'Qwen Code',
    ...ALL,
    losesRedacted: true,
    turns: (content) => [{ role: 'assistant', content: content.map(thinkingOnly) }],
  },
  { client: 'openai-responses', name: 'OpenAI SDK', ...ALL, turns: (items) => items },
  // It serializes neither the ids of items nor complete reasoning.
  {
    client: 'openai-responses',
    name: 'Codex',
    ...ALL,
    turns: (items) => items.map(({ id: _id, status: _status, ...item }) => withoutReasoningText(item)),
  },
  // With `store: false` it drops reasoning without encrypted_content.
  {
    client: 'openai-responses',
    name: 'AI SDK',
    ...ALL,
    turns: (items) =>
      items
        .filter((item) => item['type'] !== 'reasoning' || typeof item['encrypted_content'] === 'string')
        .map(withoutReasoningText),
  },
  { client: 'openai-chat', name: 'OpenAI SDK', ...ALL, turns: (messages) => messages },
  // The AI SDK, opencode and pydantic-ai: no reasoning_details, and what is at a call only from its first piece.
  {
    client: 'openai-chat',
    name: 'AI SDK',
    ...CALLS_ONLY,
    turns: (messages) =>
      messages.map(({ role, content, reasoning_content, tool_calls }) => ({
        role,
        content,
        ...(reasoning_content !== undefined && { reasoning_content }),
        ...(tool_calls !== undefined && { tool_calls }),
      })),
  },
  // The OpenAI Agents SDK returns reasoning_content only to some providers.
  {
    client: 'openai-chat',
    name: 'OpenAI Agents',
    ...CALLS_ONLY,
    turns: (messages) =>
      messages.map(({ role, content, tool_calls }) => ({
        role,
        content,
        ...(tool_calls !== undefined && { tool_calls }),
      })),
  },
  {
    client: 'gemini',
    name: 'Google SDK',
    ...ALL,
    turns: (parts) => parts.map((part) => ({ role: 'model', parts: [part] })),
  },
  // It drops thoughts, and signs a first call that has no signature.
  {
    client: 'gemini',
    name: 'Gemini CLI',
    ...ALL,
    keepsReasoning: false,
    turns: (parts) => {
      const said = parts.filter((part) => part['thought'] !== true);
      const first = said.findIndex((part) => part['functionCall'] !== undefined);
      const signed = said.map((part, i) =>
        i === first && part['thoughtSignature'] === undefined
          ? { ...part, thoughtSignature: 'skip_thought_signature_validator' }
          : part,
      );
      return signed.length === 0 ? [] : [{ role: 'model', parts: signed }];
    },
  },
];

function thinkingOnly(block: JsonRecord): JsonRecord {
  if (block['type'] === 'redacted_thinking') return { type: 'thinking', thinking: '' };
  const { signature, ...rest } = block;
  return signature === '' ? rest : block;
}

function withoutReasoningText(item: JsonRecord): JsonRecord {
  if (item['type'] !== 'reasoning') return item;
  const { content: _content, ...rest } = item;
  return rest;
}

/** The content of a buffered response: blocks, items, a message, or parts. */
export function contentOf(client: ProtocolName, response: JsonRecord): readonly JsonRecord[] {
  switch (client) {
    case 'openai-chat':
      return [recordOr(records(response['choices'])[0]?.['message'])];
    case 'openai-responses':
      return records(response['output']);
    case 'anthropic-messages':
      return records(response['content']);
    case 'gemini':
      return records(recordOr(records(response['candidates'])[0]?.['content'])['parts']);
    default:
      return client satisfies never;
  }
}

/** The same of a stream, as SDKs collect it. */
export function collectedContent(client: ProtocolName, events: readonly SseEvent[]): readonly JsonRecord[] {
  const values = events.flatMap(({ data }) => {
    const text = data?.toString() ?? '';
    return text === '' || text === '[DONE]' ? [] : [recordOr(JSON.parse(text))];
  });
  switch (client) {
    case 'openai-chat':
      return [collectChat(values)];
    case 'openai-responses':
      return contentOf(client, recordOr(values.at(-1)?.['response']));
    case 'anthropic-messages':
      return collectBlocks(values);
    case 'gemini':
      return values.flatMap((value) => contentOf(client, value));
    default:
      return client satisfies never;
  }
}

function collectBlocks(values: readonly JsonRecord[]): JsonRecord[] {
  const blocks: Record<string, unknown>[] = [];
  const inputs = new Map<number, string>();
  for (const value of values) {
    const index = Number(value['index']);
    const block = blocks[index] ?? {};
    const delta = recordOr(value['delta']);
    if (value['type'] === 'content_block_start') blocks[index] = { ...recordOr(value['content_block']) };
    else if (delta['type'] === 'text_delta') block['text'] = `${block['text']}${delta['text']}`;
    else if (delta['type'] === 'thinking_delta') block['thinking'] = `${block['thinking']}${delta['thinking']}`;
    else if (delta['type'] === 'signature_delta') block['signature'] = delta['signature'];
    else if (delta['type'] === 'input_json_delta') {
      const text = (inputs.get(index) ?? '') + String(delta['partial_json']);
      inputs.set(index, text);
      if (text !== '' && isJson(text)) block['input'] = JSON.parse(text);
    }
  }
  return blocks;
}

/** Members of a call are read from its first piece only. */
function collectChat(values: readonly JsonRecord[]): JsonRecord {
  let content = '';
  let reasoning = '';
  const details: JsonRecord[] = [];
  const calls: JsonRecord[] = [];
  for (const value of values) {
    const delta = recordOr(records(value['choices'])[0]?.['delta']);
    if (typeof delta['content'] === 'string') content += delta['content'];
    if (typeof delta['reasoning_content'] === 'string') reasoning += delta['reasoning_content'];
    details.push(...records(delta['reasoning_details']));
    for (const { index, ...piece } of records(delta['tool_calls'])) {
      const at = Number(index);
      const known = calls[at];
      const more = String(recordOr(piece['function'])['arguments'] ?? '');
      const called = recordOr(recordOr(known)['function']);
      calls[at] =
        known === undefined
          ? piece
          : { ...known, function: { ...called, arguments: String(called['arguments']) + more } };
    }
  }
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function records(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.map(recordOr) : [];
}
