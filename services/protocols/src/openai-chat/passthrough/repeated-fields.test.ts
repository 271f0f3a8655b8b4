import { expect, test } from 'vitest';
import { splice } from '../../json/splice.ts';
import { runToEnd } from '../../lists/stages.ts';
import { parseRequest } from '../client/parse.ts';
import { messageEdits } from './edit-messages.ts';
import { repeatedFields } from './repeated-fields.ts';

function sent(...messages: string[]): string {
  const body = `{"model":"m", "messages": [${messages.join(' , ')}]}`;
  const read = runToEnd(parseRequest(Buffer.from(body)));
  if (!read.ok) throw new Error(read.error.message);
  const edited = splice(read.parsed.object, messageEdits(read.parsed, [repeatedFields])).toString();
  return edited.slice('{"model":"m", "messages": '.length, -1);
}

test.each([
  ['"role":"assistant","refusal":null,"annotations":[]'],
  ['"audio":null,"function_call":null,"tool_calls":null'],
  ['"reasoning":"t","reasoning_content":"t","reasoning_details":[{"text":"t"}]'],
])('fields of the message are removed from its text: %s', (fields) => {
  expect(sent(`{"role":"assistant","content":[{"type":"text","text":"caf\\u00e9",${fields}}]}`)).toBe(
    '[{"role":"assistant","content":[{"type":"text","text":"caf\\u00e9"}]}]',
  );
});

test('a refusal keeps its text, without the other fields', () => {
  const part = '{"role":"assistant", "content":null,"type":"refusal","refusal":"No.","annotations":[]}';
  expect(JSON.parse(sent(`{"role":"assistant","content":[${part}]}`))).toEqual([
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
  ]);
});

test('other fields of a part, other parts and the message keep their bytes', () => {
  const message = (field: string) =>
    `{"role":"assistant","refusal":null,"annotations":[],"content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}${field}}, {"type":"text", "text":"b"}],"reasoning_content":"t"}`;
  const question = '{"role":"user","content":"Hi"}';
  expect(sent(question, message(',"annotations":[{"a":[1,"]"]}]'))).toBe(`[${question} , ${message('')}]`);
});

test('a conversation without repeated fields keeps its bytes', () => {
  const answer = '{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"No."}]}';
  const question = '{"role":"user","content":[{"type":"text","text":"b","role":"x"}]}';
  expect(sent(answer, question)).toBe(`[${answer} , ${question}]`);
});
