import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';

/**
 * All text that was generated in an item of a response, for counting it: text, refusals, thoughts, names and inputs of
 * tool calls.
 */
export function generatedText(item: JsonRecord): string {
  let text = '';
  for (const list of [item['summary'], item['content']]) {
    if (!Array.isArray(list)) continue;
    for (const element of list) {
      const part = recordOr(element);
      text += stringOr(part['text']) + stringOr(part['refusal']);
    }
  }
  return text + stringOr(item['name']) + stringOr(item['arguments']) + stringOr(item['input']) + stringOr(item['code']);
}
