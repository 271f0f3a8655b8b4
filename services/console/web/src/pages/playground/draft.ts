import type { Input } from '../../api/client.ts';

export type PlaygroundRequest = Input<'POST /accounts/{account_id}/playground'>['body'];

export interface Message {
  role: 'user' | 'assistant';
  content: string;
}

/** What the form holds: texts as they were typed. */
export interface PlaygroundDraft {
  model: string;
  system: string;
  messages: readonly Message[];
  /** A JSON array; empty: none. */
  tools: string;
  maxOutputTokens: string;
  temperature: string;
}

/** What is wrong, by the names that the API gives fields. */
export type DraftErrors = Record<string, string>;

/** Reads a draft: the body of the call, or what is wrong by field. */
export function readPlaygroundDraft(
  draft: PlaygroundDraft,
): { body: PlaygroundRequest; errors: null } | { body: null; errors: DraftErrors } {
  const errors: DraftErrors = {};
  const body: PlaygroundRequest = {
    model: draft.model,
    messages: draft.messages.filter((each) => each.content !== ''),
  };
  if (draft.model === '') errors['model'] = 'Choose a model.';
  if (body.messages.length === 0) errors['messages'] = 'Enter a message.';
  if (draft.system !== '') body.system = draft.system;
  const tools = readTools(draft.tools);
  if (typeof tools === 'string') errors['tools'] = tools;
  else if (tools.length > 0) body.tools = tools;
  if (draft.maxOutputTokens.trim() !== '') {
    const limit = Number(draft.maxOutputTokens);
    if (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000) {
      errors['max_output_tokens'] = 'Enter a whole number from 1 to 1,000,000.';
    } else body.max_output_tokens = limit;
  }
  if (draft.temperature.trim() !== '') {
    const temperature = Number(draft.temperature);
    if (!(temperature >= 0 && temperature <= 2)) errors['temperature'] = 'Enter a number from 0 to 2.';
    else body.temperature = temperature;
  }
  return Object.keys(errors).length === 0 ? { body, errors: null } : { body: null, errors };
}

type Tools = NonNullable<PlaygroundRequest['tools']>;

function readTools(text: string): Tools | string {
  if (text.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `Not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  const tools: unknown[] = Array.isArray(value) ? value : [value];
  if (tools.length > 100) return 'There can be at most 100 tools.';
  if (tools.some((tool) => typeof tool !== 'object' || tool === null || Array.isArray(tool))) {
    return 'Enter an array of tools, as in the Chat Completions API.';
  }
  return tools as Tools;
}
