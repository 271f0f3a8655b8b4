import type { ModelParameters } from '../../interface/parameters.ts';
import { elementsOf } from '../../json/elements.ts';
import { memberOf } from '../../json/object.ts';
import { isSet } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import { type Edit, splice } from '../../json/splice.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from '../client/parse.ts';
import type { ChatMessage } from '../shared/schema.ts';

const LIMITS = { maxDepth: Number.POSITIVE_INFINITY, uniqueKeys: false, within: [] };

/** The fields of earlier assistant messages that some providers add, and that others reject. */
interface RejectedFields {
  readonly reasoning: boolean;
  readonly extra: boolean;
}

function rejectedFields(parameters: ModelParameters | undefined): RejectedFields | undefined {
  const reasoning = parameters?.reasoningContent === false;
  const extra = parameters?.extraContent === false;
  return reasoning || extra ? { reasoning, extra } : undefined;
}

/** The body without `reasoning_content` and `extra_content`, where the provider's entry says that it rejects them. */
export function withoutMessageFields(
  body: Buffer,
  { request }: ParsedRequest,
  parameters: ModelParameters | undefined,
): Buffer {
  const rejected = rejectedFields(parameters);
  if (rejected === undefined || !request.messages.some((message) => hasRejected(message, rejected))) return body;
  const scanned = scanObject(body, LIMITS);
  const member = scanned.ok ? memberOf(scanned.object, 'messages') : undefined;
  if (!scanned.ok || member === undefined) return body;
  const { object } = scanned;
  const texts = elementsOf(object, member).map(({ start, end }, i) => {
    const bytes = object.bytes.subarray(start, end);
    const message = request.messages[i];
    const isKept = message === undefined || !hasRejected(message, rejected);
    return (isKept ? bytes : withoutFields(bytes, rejected)).toString('utf8');
  });
  return splice(object, [{ op: 'set', path: ['messages'], json: `[${texts.join(',')}]` }]);
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

function withoutFields(bytes: Buffer, rejected: RejectedFields): Buffer {
  const scanned = scanObject(bytes, LIMITS);
  if (!scanned.ok) return bytes;
  const { object } = scanned;
  const edits: Edit[] = rejected.reasoning ? REASONING.map((field) => ({ op: 'remove', path: [field] })) : [];
  const calls = rejected.extra ? memberOf(object, 'tool_calls') : undefined;
  if (calls !== undefined) {
    const texts = elementsOf(object, calls).map(({ start, end }) => {
      const call = scanObject(object.bytes.subarray(start, end), LIMITS);
      return call.ok
        ? splice(call.object, [{ op: 'remove', path: ['extra_content'] }]).toString('utf8')
        : object.bytes.toString('utf8', start, end);
    });
    edits.push({ op: 'set', path: ['tool_calls'], json: `[${texts.join(',')}]` });
  }
  return splice(object, edits);
}
