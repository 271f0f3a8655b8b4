import type { ModelParameters } from '../../interface/parameters.ts';
import { type JsonObject, memberOf } from '../../json/object.ts';
import { isSet } from '../../json/record.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { ChatMessage } from '../shared/schema.ts';
import { editElements, editObject, type MessageRule } from './edit-messages.ts';

/** The fields of earlier assistant messages that some providers add, and that others reject. */
interface RejectedFields {
  readonly reasoning: boolean;
  readonly extra: boolean;
}

function rejectedFields(parameters: ModelParameters | undefined): RejectedFields | undefined {
  const reasoning = parameters?.reasoningHistory === 'none';
  const extra = parameters?.extraContent === false;
  return reasoning || extra ? { reasoning, extra } : undefined;
}

/** Removes `reasoning_content` and `extra_content`, where the provider's entry says that it rejects them. */
export function rejectedMessageFields(parameters: ModelParameters | undefined): MessageRule[] {
  const rejected = rejectedFields(parameters);
  if (rejected === undefined) return [];
  return [
    {
      appliesTo: (message) => hasRejected(message, rejected),
      edit: (object) => withoutFields(object, rejected),
    },
  ];
}

/** One warning for each of the fields that is left out. */
export function messageFieldWarnings(
  { request }: ParsedRequest,
  parameters: ModelParameters | undefined,
): Diagnostic[] {
  const rejected = rejectedFields(parameters);
  if (rejected === undefined) return [];
  const found: Diagnostic[] = [];
  const reasoning = rejected.reasoning ? request.messages.findIndex(hasReasoning) : -1;
  if (reasoning >= 0) found.push(leftOut(`messages[${reasoning}].reasoning_content`));
  const extra = rejected.extra ? request.messages.findIndex(hasExtra) : -1;
  if (extra >= 0) found.push(leftOut(`messages[${extra}].tool_calls`));
  return found;
}

function leftOut(path: string): Diagnostic {
  return diagnostic(path, "reasoning of earlier responses is left out, since this model's provider does not accept it");
}

function hasRejected(message: ChatMessage, { reasoning, extra }: RejectedFields): boolean {
  return (reasoning && hasReasoning(message)) || (extra && hasExtra(message));
}

/** The names that providers have for it. */
const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

function hasReasoning(message: ChatMessage): boolean {
  return message.role === 'assistant' && REASONING.some((field) => isSet(message[field]));
}

function hasExtra(message: ChatMessage): boolean {
  return message.role === 'assistant' && (message.tool_calls ?? []).some((call) => isSet(call['extra_content']));
}

function withoutFields(object: JsonObject, rejected: RejectedFields): Buffer {
  const edits: Edit[] = rejected.reasoning ? REASONING.map((field) => ({ op: 'remove', path: [field] })) : [];
  const calls = rejected.extra ? memberOf(object, 'tool_calls') : undefined;
  if (calls !== undefined) {
    const json = editElements(object, calls, (bytes) =>
      editObject(bytes, (call) => splice(call, [{ op: 'remove', path: ['extra_content'] }])),
    );
    edits.push({ op: 'set', path: ['tool_calls'], json });
  }
  return splice(object, edits);
}
