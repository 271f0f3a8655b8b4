import { editElements, editObject } from '../../json/edit-elements.ts';
import { memberOf } from '../../json/object.ts';
import { type Edit, splice } from '../../json/splice.ts';
import type { ChatMessage } from '../shared/schema.ts';
import type { MessageRule } from './edit-messages.ts';

/**
 * Removes what Mistral's SDKs add to all earlier responses and what means nothing to any provider: that a message is no prefix,
 * and the position of a call in its list. Strict providers reject unknown fields.
 */
export const mistralFields: MessageRule = {
  appliesTo: (message) => message.role === 'assistant' && (message['prefix'] === false || hasPositions(message)),
  edit: (object, message) => {
    const edits: Edit[] = message['prefix'] === false ? [{ op: 'remove', path: ['prefix'] }] : [];
    const calls = hasPositions(message) ? memberOf(object, 'tool_calls') : undefined;
    if (calls !== undefined) {
      const json = editElements(object, calls, (bytes) =>
        editObject(bytes, (call) => splice(call, [{ op: 'remove', path: ['index'] }])),
      );
      edits.push({ op: 'set', path: ['tool_calls'], json });
    }
    return splice(object, edits);
  },
};

function hasPositions(message: ChatMessage): boolean {
  return message.role === 'assistant' && (message.tool_calls ?? []).some((call) => 'index' in call);
}
