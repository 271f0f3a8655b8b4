import { createHash } from 'node:crypto';
import { inputObject } from '../../canonical/tool-call.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import { isRecord, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import { fitReasoning } from './fit-reasoning.ts';

/** A message as the provider takes it. */
export interface FittedMessage {
  readonly message: JsonRecord;
  /** The index of the only message that it was made from; undefined if it was joined from several. */
  readonly from: number | undefined;
}

/** What a request loses, at one of its messages. */
export interface MessageWarning {
  readonly index: number;
  readonly field: string;
  readonly message: string;
}

export interface FittedMessages {
  /** A message that did not change is the same object as before. */
  readonly messages: readonly FittedMessage[];
  /** At most one of each kind. */
  readonly warnings: readonly MessageWarning[];
  readonly isChanged: boolean;
}

/** Whether the messages depend on what the provider accepts. */
export function concernsMessages(parameters: ModelParameters): boolean {
  return (
    parameters.developerRole === false ||
    parameters.lateSystemMessages === false ||
    parameters.repeatedRoles === false ||
    parameters.contentParts === false ||
    parameters.nullContent === false ||
    parameters.freeArguments === false ||
    parameters.reasoningHistory !== undefined ||
    parameters.reasoningRequired === true ||
    parameters.toolCallIds === 'nine_alphanumeric'
  );
}

/** Changes messages to what a provider accepts: roles, the form of contents and calls, the place of reasoning, their order. */
export function fitMessages(messages: readonly JsonRecord[], parameters: ModelParameters): FittedMessages {
  const warnings: MessageWarning[] = [];
  let fitted: FittedMessage[] = messages.map((message, from) => {
    const { message: changed, lost } = fitMessage(message, parameters);
    if (lost !== undefined && warnings.length === 0) warnings.push({ index: from, field: lost, message: LOST });
    return { message: changed, from };
  });
  if (parameters.lateSystemMessages === false) {
    const late = messages.findIndex(
      (message, i) => isInstruction(message) && !messages.slice(0, i).every(isInstruction),
    );
    if (late >= 0) warnings.push({ index: late, field: '', message: MOVED });
    fitted = withOneInstruction(fitted);
  }
  if (parameters.repeatedRoles === false) fitted = withoutRepeatedRoles(fitted);
  const isChanged =
    fitted.length !== messages.length || fitted.some(({ message }, index) => message !== messages[index]);
  return { messages: fitted, warnings, isChanged };
}

const LOST = "reasoning of earlier responses is left out, since this model's provider does not accept it";
const MOVED = "moved to the beginning, since this model's provider accepts instructions only there";

function fitMessage(
  message: JsonRecord,
  parameters: ModelParameters,
): { message: JsonRecord; lost: string | undefined } {
  const role = message['role'];
  if (role === 'developer' && parameters.developerRole === false) {
    return { message: fitContent({ ...message, role: 'system' }, parameters), lost: undefined };
  }
  if (role === 'tool' && parameters.toolCallIds === 'nine_alphanumeric') {
    const id = nineCharacters(stringOr(message['tool_call_id']));
    const fitted = id === message['tool_call_id'] ? message : { ...message, tool_call_id: id };
    return { message: fitContent(fitted, parameters), lost: undefined };
  }
  if (role !== 'assistant') return { message: fitContent(message, parameters), lost: undefined };
  const { message: fitted, lost } = fitReasoning(message, parameters);
  return { message: fitContent(fitCalls(fitted, parameters), parameters), lost };
}

/** Text parts as one string, and no null, where the provider takes nothing else. */
function fitContent(message: JsonRecord, { contentParts, nullContent }: ModelParameters): JsonRecord {
  const { content, tool_calls: calls } = message;
  if (Array.isArray(content)) {
    if (contentParts !== false || !content.every(isText)) return message;
    return { ...message, content: content.map((part) => part.text).join('') };
  }
  const isMissing = content === null || content === undefined;
  return isMissing && nullContent === false && Array.isArray(calls) ? { ...message, content: '' } : message;
}

function isText(part: unknown): part is { readonly text: string } {
  return isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

function fitCalls(message: JsonRecord, { toolCallIds, freeArguments }: ModelParameters): JsonRecord {
  const calls: unknown = message['tool_calls'];
  if (!Array.isArray(calls)) return message;
  const fitted = calls.map((call: unknown) => {
    if (!isRecord(call)) return call;
    const named = toolCallIds === 'nine_alphanumeric' ? withShortId(call) : call;
    return freeArguments === false ? withObjectArguments(named) : named;
  });
  return fitted.some((call, i) => call !== calls[i]) ? { ...message, tool_calls: fitted } : message;
}

function withShortId(call: JsonRecord): JsonRecord {
  const id = nineCharacters(stringOr(call['id']));
  return id === call['id'] ? call : { ...call, id };
}

const NINE = /^[A-Za-z0-9]{9}$/;

/** An id of nine letters and digits. Equal ids stay equal, so that a call and its result have the same. */
function nineCharacters(id: string): string {
  if (NINE.test(id)) return id;
  return createHash('sha256').update(id).digest('base64').replaceAll(/[+/=]/g, '').slice(0, 9);
}

function withObjectArguments(call: JsonRecord): JsonRecord {
  const called = recordOr(call['function']);
  const { arguments: input } = called;
  if (typeof input !== 'string' || isRecord(parseJson(input))) return call;
  return { ...call, function: { ...called, arguments: JSON.stringify(inputObject(input)) } };
}

function isInstruction({ role }: JsonRecord): boolean {
  return role === 'system' || role === 'developer';
}

/** All instructions as one message at the beginning. */
function withOneInstruction(messages: readonly FittedMessage[]): FittedMessage[] {
  const instructions = messages.filter(({ message }) => isInstruction(message));
  const [first] = instructions;
  if (first === undefined || (instructions.length === 1 && messages[0] === first)) return [...messages];
  const others = messages.filter(({ message }) => !isInstruction(message));
  if (instructions.length === 1) return [first, ...others];
  return [joined(instructions), ...others];
}

/** Neighbouring messages of the user, and of the assistant without calls, as one. */
function withoutRepeatedRoles(messages: readonly FittedMessage[]): FittedMessage[] {
  const groups: FittedMessage[][] = [];
  for (const each of messages) {
    const group = groups.at(-1);
    const last = group?.[0]?.message;
    const isSame = last !== undefined && last['role'] === each.message['role'] && isJoinable(each.message);
    if (group !== undefined && isSame && group.every(({ message }) => isJoinable(message))) group.push(each);
    else groups.push([each]);
  }
  return groups.map((group) => {
    const [only] = group;
    return only !== undefined && group.length === 1 ? only : joined(group);
  });
}

function isJoinable({ role, tool_calls: calls }: JsonRecord): boolean {
  return role === 'user' || (role === 'assistant' && !Array.isArray(calls));
}

function joined(messages: readonly FittedMessage[]): FittedMessage {
  const contents = messages.map(({ message }) => message['content']);
  const first = messages[0]?.message ?? {};
  const content = contents.every((one) => typeof one === 'string')
    ? contents.join('\n\n')
    : contents.flatMap((one) => (Array.isArray(one) ? one : [{ type: 'text', text: stringOr(one) }]));
  return { message: { ...first, content }, from: undefined };
}
