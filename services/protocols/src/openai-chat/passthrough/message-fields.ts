import type { ModelParameters } from '../../interface/parameters.ts';
import { editElements, editObject } from '../../json/edit-elements.ts';
import { type JsonObject, memberOf } from '../../json/object.ts';
import { isSet } from '../../json/record.ts';
import { splice } from '../../json/splice.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from '../client/parse.ts';
import { concernsMessages, fitMessages } from '../shared/fit-messages.ts';
import type { ChatMessage } from '../shared/schema.ts';
import type { MessageRule } from './edit-messages.ts';

/** Removes `extra_content` of tool calls, where the provider's entry says that it rejects it. */
export function rejectedMessageFields(parameters: ModelParameters | undefined): MessageRule[] {
  return parameters?.extraContent === false ? [{ appliesTo: hasExtra, edit: withoutExtra }] : [];
}

/** One warning for each kind of field that is left out, and for instructions that are moved. */
export function messageFieldWarnings(
  { request }: ParsedRequest,
  parameters: ModelParameters | undefined,
): Diagnostic[] {
  const extra = parameters?.extraContent === false ? request.messages.findIndex(hasExtra) : -1;
  const fitted =
    parameters === undefined || !concernsMessages(parameters)
      ? []
      : fitMessages(request.messages, parameters).warnings.map(({ index, field, message }) =>
          diagnostic(`messages[${index}]${field === '' ? '' : `.${field}`}`, message),
        );
  return [...fitted, ...(extra >= 0 ? [diagnostic(`messages[${extra}].tool_calls`, LEFT_OUT)] : [])];
}

const LEFT_OUT = "reasoning of earlier responses is left out, since this model's provider does not accept it";

function hasExtra(message: ChatMessage): boolean {
  return message.role === 'assistant' && (message.tool_calls ?? []).some((call) => isSet(call['extra_content']));
}

function withoutExtra(object: JsonObject): Buffer {
  const calls = memberOf(object, 'tool_calls');
  if (calls === undefined) return object.bytes;
  const json = editElements(object, calls, (bytes) =>
    editObject(bytes, (call) => splice(call, [{ op: 'remove', path: ['extra_content'] }])),
  );
  return splice(object, [{ op: 'set', path: ['tool_calls'], json }]);
}
