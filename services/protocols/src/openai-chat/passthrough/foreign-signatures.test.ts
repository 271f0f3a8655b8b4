import { expect, test } from 'vitest';
import { wrapThoughts } from '../../canonical/carried-thoughts.ts';
import { wrapOpaque } from '../../canonical/opaque.ts';
import { splice } from '../../json/splice.ts';
import { runToEnd } from '../../lists/stages.ts';
import { parseRequest } from '../client/parse.ts';
import { messageEdits } from './edit-messages.ts';
import { foreignSignatures } from './foreign-signatures.ts';

const FOREIGN = wrapOpaque({ origin: 'anthropic-messages', data: 'x' }, 'openai-chat');

function sent(...messages: string[]): string {
  const body = `{"model":"m", "messages": [ ${messages.join(' , ')} ]}`;
  const read = runToEnd(parseRequest(Buffer.from(body)));
  if (!read.ok) throw new Error(read.error.message);
  return splice(read.parsed.object, messageEdits(read.parsed, [foreignSignatures])).toString();
}

const call = (signature: string, more = '') =>
  `{"id":"1","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"${signature}"${more}}}}`;

test('a conversation without foreign signatures keeps its bytes', () => {
  const own = `{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.text","text":"t","signature":"own"}],"tool_calls":[${call('google')}]}`;
  expect(sent('{"role":"user","content":"caf\\u00e9"}', own)).toBe(
    `{"model":"m", "messages": [ {"role":"user","content":"caf\\u00e9"} , ${own} ]}`,
  );
});

test('they are removed from reasoning and calls, and nothing else is', () => {
  const kept = '{"type":"reasoning.text","text":"t","signature":"own","index":0}';
  const details = `"reasoning_details":[${kept},{"type":"reasoning.encrypted","data":"${FOREIGN}","index":1}]`;
  const mixed = `{"role":"assistant","content":"a", "reasoning_content":"t",${details}}`;
  const only = `{"role":"assistant","content":"b","reasoning_details":[{"signature":"${FOREIGN}"}]}`;
  const calling = `{"role":"assistant","tool_calls":[${call(FOREIGN)},${call(FOREIGN, ',"a":1')},${call('own')}]}`;
  const plain = '{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}';
  expect(JSON.parse(sent(mixed, only, calling))).toEqual(
    JSON.parse(
      `{"model":"m","messages":[{"role":"assistant","content":"a","reasoning_content":"t","reasoning_details":[${kept}]},` +
        `{"role":"assistant","content":"b"},` +
        `{"role":"assistant","tool_calls":[${plain}},${plain},"extra_content":{"google":{"a":1}}},${call('own')}]}]}`,
    ),
  );
  expect(sent(mixed)).toContain('"content":"a", "reasoning_content"');
});

test('Google’s signature of a call is taken out of one that also carries reasoning', () => {
  const thoughts = [
    { form: 'full', text: 'hm', texts: 0, opaque: { origin: 'anthropic-messages', data: 'x' } },
  ] as const;
  const carried = wrapThoughts(thoughts, { origin: 'gemini', data: 'gsig' });
  const other = wrapThoughts(thoughts);
  const calling = `{"role":"assistant","tool_calls":[${call(carried)},${call(other)}]}`;
  const plain = '{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}';
  expect(JSON.parse(sent(calling)).messages[0].tool_calls).toEqual(JSON.parse(`[${call('gsig')},${plain}]`));
});

test('Google’s placeholders pass unchanged', () => {
  const calling = `{"role":"assistant","tool_calls":[${call('skip_thought_signature_validator')}]}`;
  expect(sent(calling)).toContain(calling);
});
