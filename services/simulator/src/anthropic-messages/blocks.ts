import type { Plan } from '../model/plan.ts';
import { wrapReasoning } from '../model/wrapped-reasoning.ts';
import { parseObject } from '../validation/fields.ts';

/** A block of a response: its start in a stream, its deltas, and its complete form. */
export interface Block {
  opening: object;
  deltas: readonly { delta: object; token: boolean }[];
  complete: object;
}

/** How a response shows thinking: not at all, only encrypted, or as text. */
export type ThinkingForm = 'none' | 'omitted' | 'shown';

/** The blocks of a response: thinking, text, tool calls. */
export function blocksOf(plan: Plan, thinking: ThinkingForm): Block[] {
  const blocks: Block[] = [];
  if (plan.reasoning !== undefined && thinking !== 'none') blocks.push(thinkingBlock(plan, thinking === 'shown'));
  if (plan.pieces.length > 0) blocks.push(textBlock(plan));
  for (const [index, call] of plan.toolCalls.entries()) {
    const id = `toolu_sim${plan.digest.slice(0, 20)}${index}`;
    blocks.push(toolBlock(id, call.name, call.arguments));
  }
  return blocks;
}

function thinkingBlock(plan: Plan, shown: boolean): Block {
  const { text, pieces, redacted } = plan.reasoning ?? { text: '', pieces: [], redacted: false };
  if (redacted) {
    const block = { type: 'redacted_thinking', data: wrapReasoning({ kind: 'anthropic-redacted', text }) };
    return { opening: block, deltas: [], complete: block };
  }
  const signature = wrapReasoning({ kind: 'anthropic', text });
  const reported = shown ? pieces : [];
  return {
    opening: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...reported.map((piece) => ({ delta: { type: 'thinking_delta', thinking: piece }, token: true })),
      { delta: { type: 'signature_delta', signature }, token: false },
    ],
    complete: { type: 'thinking', thinking: shown ? text : '', signature },
  };
}

function textBlock(plan: Plan): Block {
  const text = plan.pieces.join('');
  const citations = plan.citations.map((citation) => ({
    type: 'web_search_result_location',
    cited_text: text.slice(citation.start ?? 0, citation.end ?? text.length),
    encrypted_index: wrapReasoning({ kind: 'anthropic-citation', text: citation.url }),
    title: citation.title,
    url: citation.url,
  }));
  const cited = citations.length > 0;
  return {
    opening: { type: 'text', text: '', citations: cited ? [] : null },
    deltas: [
      ...citations.map((citation) => ({ delta: { type: 'citations_delta', citation }, token: false })),
      ...plan.pieces.map((piece) => ({ delta: { type: 'text_delta', text: piece }, token: true })),
    ],
    complete: { type: 'text', text, citations: cited ? citations : null },
  };
}

function toolBlock(id: string, name: string, pieces: readonly string[]): Block {
  const block = { type: 'tool_use', id, name, caller: { type: 'direct' } };
  return {
    opening: { ...block, input: {} },
    deltas: ['', ...pieces].map((piece) => ({
      delta: { type: 'input_json_delta', partial_json: piece },
      token: piece !== '',
    })),
    complete: { ...block, input: parseObject(pieces.join('')) ?? {} },
  };
}
