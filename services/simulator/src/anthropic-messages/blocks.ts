import { textPieces } from '../model/pieces.ts';
import type { Plan } from '../model/plan.ts';
import type { WebPage, WebUse } from '../model/web.ts';
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
  for (const [index, use] of (plan.web?.uses ?? []).entries()) {
    blocks.push(...webBlocks(`srvtoolu_sim${plan.digest.slice(0, 20)}${index}`, use));
  }
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

/** The kind under which a result's encrypted content is wrapped. */
export const WEB_RESULT = 'anthropic-web-result';

/** The use of a web tool, and its result. */
function webBlocks(id: string, { kind, query, failed, pages }: WebUse): Block[] {
  const use = { type: 'server_tool_use', id, name: `web_${kind}`, caller: { type: 'direct' } };
  const input = kind === 'search' ? { query } : { url: query };
  const result = {
    type: `web_${kind}_tool_result`,
    tool_use_id: id,
    content: failed
      ? { type: `web_${kind}_tool_result_error`, error_code: 'max_uses_exceeded' }
      : kind === 'search'
        ? pages.map(({ url, title }) => ({
            type: 'web_search_result',
            title,
            url,
            encrypted_content: wrapReasoning({ kind: WEB_RESULT, text: url }),
            page_age: null,
          }))
        : fetchResult(pages),
    caller: { type: 'direct' },
  };
  const pieces = ['', ...textPieces(JSON.stringify(input))];
  return [
    {
      opening: { ...use, input: {} },
      deltas: pieces.map((piece) => ({
        delta: { type: 'input_json_delta', partial_json: piece },
        token: piece !== '',
      })),
      complete: { ...use, input },
    },
    { opening: result, deltas: [], complete: result },
  ];
}

function fetchResult([page]: readonly WebPage[]) {
  return {
    type: 'web_fetch_result',
    url: page?.url ?? '',
    retrieved_at: '2025-01-01T00:00:00.000000+00:00',
    content: {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: page?.text ?? '' },
      title: page?.title ?? null,
    },
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
