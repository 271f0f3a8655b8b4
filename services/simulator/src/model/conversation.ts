/**
 * What a request says, in no provider's words. Each protocol reads its own form into this one, so that all protocols
 * count, plan and echo the same conversation alike.
 */
export interface Conversation {
  model: string;
  /** In their order; instructions stand among them where the protocol has them there. */
  turns: Turn[];
  tools: ToolSpec[];
  settings: Settings;
}

/** Whose words a turn holds. Tool results are the user's side. */
export type Side = 'instructions' | 'user' | 'assistant';

export interface Turn {
  side: Side;
  /** The role or item type as the request names it. */
  role: string;
  parts: Part[];
}

export type Part =
  | { kind: 'text'; text: string; cache?: string | undefined }
  | { kind: 'image'; low: boolean; source: 'inline' | 'url'; cache?: string | undefined }
  | FilePart
  | { kind: 'audio'; characters: number }
  | { kind: 'refusal'; text: string }
  | { kind: 'reasoning'; text: string; sealed: boolean }
  | { kind: 'tool_call'; id?: string | undefined; name: string; arguments: string; sealed?: boolean | undefined }
  | ToolResultPart;

export interface FilePart {
  kind: 'file';
  /** `text`: plain text, which `text` holds. */
  source: 'inline' | 'url' | 'text';
  text?: string;
  name?: string | undefined;
  cache?: string | undefined;
}

export interface ToolResultPart {
  kind: 'tool_result';
  id?: string | undefined;
  name?: string | undefined;
  parts: Part[];
  error: boolean;
  cache?: string | undefined;
}

export interface ToolSpec {
  name: string;
  description: string;
  schema: Record<string, unknown> | undefined;
  strict?: boolean | undefined;
  /** Takes free text instead of JSON. */
  custom?: boolean;
  cache?: string | undefined;
}

/** What a request sets next to its conversation; undefined where it does not say. */
export interface Settings {
  limit?: number | undefined;
  choices: number;
  stop: string[];
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  seed?: number | undefined;
  presencePenalty?: number | undefined;
  frequencyPenalty?: number | undefined;
  /** Alternatives returned for each token; undefined without log probabilities. */
  logprobs?: number | undefined;
  effort?: string | undefined;
  /** Reasoning tokens allowed; 0 switches it off, -1 leaves it to the model. */
  budget?: number | undefined;
  /** Whether the response shows its reasoning as text. */
  showReasoning: boolean;
  verbosity?: string | undefined;
  toolChoice?: ToolChoice | undefined;
  parallelToolCalls?: boolean | undefined;
  responseFormat?: ResponseFormat | undefined;
  user?: string | undefined;
  cacheKey?: string | undefined;
  serviceTier?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  store?: boolean | undefined;
}

export type ToolChoice = { kind: 'auto' | 'none' | 'any'; names?: string[] } | { kind: 'tool'; name: string };

export type ResponseFormat = { kind: 'json' } | { kind: 'schema'; schema: Record<string, unknown>; strict: boolean };

/** The text of parts, tool results included. */
export function textOf(parts: readonly Part[]): string {
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'tool_result') text += textOf(part.parts);
  }
  return text;
}

/**
 * The text that may hold a directive: of the user's turns and tool results after the assistant's last, the last one
 * that has a directive. The beginning of a response that the request already holds does not count as the assistant's.
 */
export function directiveText(turns: readonly Turn[], opening: string): string {
  let at = turns.length - 1;
  while (at >= 0 && turns[at]?.side === 'assistant') at -= 1;
  for (; at >= 0; at -= 1) {
    const turn = turns[at];
    if (turn === undefined || turn.side === 'assistant') return '';
    if (turn.side !== 'user') continue;
    const text = textOf(turn.parts);
    if (text.includes(opening)) return text;
  }
  return '';
}
