import { editElements, editObject } from '../../json/edit-elements.ts';
import { memberOf } from '../../json/object.ts';
import { splice } from '../../json/splice.ts';
import type { ChatMessage } from '../shared/schema.ts';
import type { MessageRule } from './edit-messages.ts';

/** The fields of a response's message, with those that some providers add. */
const MESSAGE_FIELDS = [
  'role',
  'content',
  'refusal',
  'annotations',
  'audio',
  'function_call',
  'tool_calls',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
] as const;

type ContentPart = Exclude<NonNullable<ChatMessage['content']>, string>[number];

/**
 * Removes fields of an earlier response's message from its content parts, where OpenAI Agents for JavaScript copy them to:
 * strict providers reject a field that a content part does not have. The message itself is not changed.
 */
export const repeatedFields: MessageRule = {
  appliesTo: (message) =>
    message.role === 'assistant' && partsOf(message).some((part) => fieldsRepeatedIn(part).length > 0),
  edit: (object, message) => {
    const member = memberOf(object, 'content');
    if (member === undefined) return object.bytes;
    const parts = partsOf(message);
    const json = editElements(object, member, (bytes, i) => {
      const fields = fieldsRepeatedIn(parts[i]);
      if (fields.length === 0) return bytes;
      return editObject(bytes, (part) =>
        splice(
          part,
          fields.map((field) => ({ op: 'remove', path: [field] })),
        ),
      );
    });
    return splice(object, [{ op: 'set', path: ['content'], json }]);
  },
};

function partsOf({ content }: ChatMessage): readonly ContentPart[] {
  return Array.isArray(content) ? content : [];
}

/** The text of a refusal is in a field of the same name as the message's. */
function fieldsRepeatedIn(part: ContentPart | undefined): string[] {
  if (part === undefined) return [];
  return MESSAGE_FIELDS.filter((field) => field in part && field !== part.type);
}
