import type { AssistantMessage } from '../../canonical/message.ts';
import type { ReasoningPart, ToolCallPart } from '../../canonical/part.ts';
import { SKIP_VALIDATOR } from '../../canonical/skip-validator.ts';
import { providerToolId, type ToolIdRule } from '../../canonical/tool-call.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { encodeCallSignature, encodeReasoning } from '../shared/reasoning.ts';

/** OpenAI's maximum length of tool call ids. */
export const TOOL_ID: ToolIdRule = { pattern: /^[\s\S]+$/, maxLength: 40 };

/**
 * Encodes an assistant message of the conversation. Its texts come first, then its calls, each in their order.
 * Reasoning goes back as text, and signatures only to their own provider, both only if the provider accepts them. A turn with only reasoning gets an empty text, since OpenAI
 * rejects messages without content or calls.
 *
 * @param path the message's place in the upstream's request
 */
export function* encodeAssistant(
  message: AssistantMessage,
  path: string,
  parameters: ModelParameters,
  diagnostics: Diagnostics,
): Stages<JsonRecord> {
  const content: JsonRecord[] = [];
  const calls: JsonRecord[] = [];
  const thoughts: ReasoningPart[] = [];
  for (const part of message.parts) {
    if (isTurnOver()) yield;
    switch (part.type) {
      case 'text':
        if (part.cache !== undefined)
          diagnostics.warn(part.at, "the cache hint is not passed on to this model's provider");
        diagnostics.placed(`${path}.content[${content.length}]`, part.at);
        content.push({ type: 'text', text: part.text });
        break;
      case 'refusal':
        diagnostics.placed(`${path}.content[${content.length}]`, part.at);
        content.push({ type: 'refusal', refusal: part.text });
        break;
      case 'reasoning':
        thoughts.push(part);
        break;
      case 'tool-call':
        if (part.cache !== undefined)
          diagnostics.warn(part.at, "the cache hint is not passed on to this model's provider");
        diagnostics.placed(`${path}.tool_calls[${calls.length}]`, part.at);
        calls.push(callOf(part, parameters, calls.length === 0));
        break;
      case 'image':
      case 'audio':
        diagnostics.reject(
          part.at ?? message.at,
          "this model's provider does not accept images or audio of earlier responses",
        );
        break;
      default:
        part satisfies never;
    }
  }
  return {
    role: 'assistant',
    content: contentOf(content) ?? (calls.length > 0 ? null : ''),
    ...reasoningOf(thoughts, parameters, diagnostics),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(message.name !== undefined && { name: message.name }),
  };
}

const UNSIGNED = { origin: 'gemini', data: SKIP_VALIDATOR } as const;

/** A single text is sent as a string, which every upstream accepts. */
export function contentOf(content: readonly JsonRecord[]): string | readonly JsonRecord[] | null {
  const [only] = content;
  if (only === undefined) return null;
  const { type, text } = only;
  return content.length === 1 && type === 'text' && typeof text === 'string' ? text : content;
}

/** Gemini models behind chat completions reject a message whose first call has no signature. */
function callOf(call: ToolCallPart, { extraContent, signedCalls }: ModelParameters, isFirst: boolean): JsonRecord {
  const { id, name, kind, input, opaque } = call;
  const known = providerToolId(id, TOOL_ID);
  const placeholder = isFirst && signedCalls === true ? UNSIGNED : undefined;
  const own = opaque?.origin === 'gemini' ? opaque : placeholder;
  const signature = extraContent === true && own !== undefined ? encodeCallSignature({ opaque: own }) : {};
  return kind === 'custom'
    ? { id: known, type: 'custom', custom: { name, input }, ...signature }
    : { id: known, type: 'function', function: { name, arguments: input === '' ? '{}' : input }, ...signature };
}

/**
 * Reasoning in the fields of providers that do not say where they take it: its text in `reasoning_content`, and what they
 * signed in `reasoning_details`. It is moved to the field of the provider with the rest of the messages.
 */
function reasoningOf(
  parts: readonly ReasoningPart[],
  { reasoningHistory }: ModelParameters,
  diagnostics: Diagnostics,
): JsonRecord {
  let text = '';
  let isOwn = false;
  for (const part of parts) {
    text += part.text;
    if (part.opaque?.origin === 'openai-chat') isOwn = true;
    else if (part.text === '') {
      diagnostics.warn(part.at, "encrypted thoughts of another provider are not passed on to this model's provider");
    }
  }
  const isTaken = reasoningHistory === undefined ? isOwn : reasoningHistory !== 'none';
  if (!isTaken && (text !== '' || isOwn)) {
    const at = parts.find((part) => part.text !== '')?.at;
    diagnostics.warn(at, "reasoning of earlier responses is not passed on to this model's provider");
    return {};
  }
  const reasoning = text === '' ? {} : { reasoning_content: text };
  if (!isOwn) return reasoning;
  const details = parts.flatMap((part, index) => {
    const own = part.opaque?.origin === 'openai-chat' ? part.opaque : undefined;
    return part.text === '' && own === undefined ? [] : [encodeReasoning(part.form, part.text, own, index)];
  });
  return { ...reasoning, reasoning_details: details };
}
