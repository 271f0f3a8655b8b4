import { withoutAttribution } from '../anthropic-messages/attribution.ts';
import { isObject } from '../validation/fields.ts';
import type { PromptPiece } from './prompt-cache.ts';

/** The pieces of a prompt in the protocol's own order, from the body of a call. */
export function promptPieces(protocol: string, body: Buffer): PromptPiece[] {
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  if (!isObject(parsed)) return [];
  switch (protocol) {
    case 'anthropic-messages':
      return messagesPieces(parsed);
    case 'gemini':
      return automatic([parsed['tools'], parsed['systemInstruction'], ...listOf(parsed['contents'])]);
    default:
      return automatic([
        parsed['tools'],
        parsed['instructions'],
        ...listOf(parsed['messages']),
        ...listOf(parsed['input']),
      ]);
  }
}

/** OpenAI and Google keep every prefix. */
function automatic(pieces: readonly unknown[]): PromptPiece[] {
  return pieces.filter((piece) => piece !== undefined).map((piece) => ({ text: JSON.stringify(piece), kept: true }));
}

/** Anthropic keeps what ends with a breakpoint. */
function messagesPieces(body: Record<string, unknown>): PromptPiece[] {
  const blocks = [
    ...listOf(body['tools']),
    ...listOf(withoutAttribution(body['system'])),
    ...listOf(body['messages']).flatMap((message) =>
      isObject(message) ? listOf(message['content']).map((block) => ({ role: message['role'], block })) : [],
    ),
  ];
  const pieces = blocks.map(markedPiece);
  const last = pieces.at(-1);
  if (last !== undefined && isObject(body['cache_control'])) last.kept = true;
  return pieces;
}

function markedPiece(block: unknown): PromptPiece {
  let kept = false;
  const text = JSON.stringify(block, (key, value: unknown) => {
    if (key !== 'cache_control') return value;
    kept ||= isObject(value);
    return undefined;
  });
  return { text, kept };
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
