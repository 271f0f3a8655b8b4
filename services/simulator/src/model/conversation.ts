/**
 * A request in neutral terms. Each protocol converts its own format to this one, so that all protocols count, plan and
 * echo the same conversation alike.
 */
export interface Conversation {
  model: string;
  /** In order, including instructions within the conversation. */
  turns: Turn[];
  tools: ToolSpec[];
  settings: Settings;
}

/** The side of a turn. Tool results are on the user's side. */
export type Side = 'instructions' | 'user' | 'assistant';

export interface Turn {
  side: Side;
  /** The role or item type in the request. */
  role: string;
  parts: Part[];
}

export type Part =
  | { kind: 'text'; text: string; cache?: string | undefined }
  | { kind: 'image'; low: boolean; source: 'inline' | 'url'; cache?: string | undefined }
  | FilePart
  | { kind: 'audio'; characters: number }
  | { kind: 'refusal'; text: string }
  | { kind: 'reasoning'; text: string; signed: boolean }
  | { kind: 'tool_call'; id?: string | undefined; name: string; arguments: string; signed?: boolean | undefined }
  | ToolResultPart;

export interface FilePart {
  kind: 'file';
  /** `text`: plain text, in the field `text`. */
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
  /** Whether its input is free text instead of JSON. */
  custom?: boolean;
  /** The namespace that its name begins with, before two underscores. */
  namespace?: string;
  /** A tool whose calls have an item of their own. */
  item?: 'tool_search' | 'local_shell';
  cache?: string | undefined;
}

/** Settings of a request; undefined if absent. */
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
  /** Maximum reasoning tokens; 0 for none, -1 leaves it to the model. */
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
 * The text that may contain a directive: the last one that has a directive, of the user turns and tool results after
 * the assistant's last turn. A prefilled response does not count as an assistant turn.
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
