import { expect, test } from 'vitest';
import { type Usage, usageOf } from '../canonical/usage.ts';
import type { ResponseContext } from '../interface/protocol.ts';
import { SseParser } from '../sse/parse.ts';
import { ChatStreamTransformer } from './passthrough/edit-stream.ts';
import { readReport } from './shared/usage.ts';
import { ChatStreamDecoder } from './upstream/decode-stream.ts';

/*
 * Moonshot has the usage of a stream within its choices. Of several choices it is not known what each report counts: the output
 * is estimated then, and the input is that of the first report.
 */

const CONTEXT: ResponseContext = { model: 'm', created: 1, newId: () => 'id', costOf: () => '0' };
const counts = (completion_tokens: number) => ({ prompt_tokens: 14, completion_tokens, cached_tokens: 4 });
const text = (index: number, content: string) => ({ choices: [{ index, delta: { content } }] });
const last = (index: number, output: number) => ({
  choices: [{ index, delta: {}, finish_reason: 'stop', usage: counts(output) }],
});

/** What the bill is based on, as each report replaces the one before. */
function reportsOf(chunks: readonly object[]): { passedOn: Usage[]; translated: Usage[] } {
  const events = new SseParser({ maxEventBytes: 100_000 }).push(
    Buffer.from(
      [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
    ),
  ).events;
  const transformer = new ChatStreamTransformer(CONTEXT, true);
  const decoder = new ChatStreamDecoder(CONTEXT);
  const passedOn = events.flatMap((event) => {
    const step = transformer.push(event);
    return 'usage' in step ? known(step) : [];
  });
  const translated = events.flatMap((event) => {
    const result = decoder.push(event);
    if (result.kind !== 'events' && result.kind !== 'end') throw new Error(result.kind);
    return result.events.flatMap((each) => (each.type === 'usage' ? known(each) : []));
  });
  return { passedOn, translated };
}

function known({ usage }: { readonly usage: Usage | undefined }): Usage[] {
  return usage === undefined ? [] : [usage];
}

const WHOLE = usageOf({ input: 10, cache_read: 4, output: 5 });
const INPUT = usageOf({ input: 10, cache_read: 4 });

test('usage within the only choice is that of the response', () => {
  const { passedOn, translated } = reportsOf([text(0, 'a'), last(0, 5)]);
  expect(passedOn).toEqual([WHOLE]);
  expect(translated.at(-1)).toEqual(WHOLE);
});

test('usage within each of several choices is only that of the input', () => {
  const { passedOn, translated } = reportsOf([text(0, 'a'), text(1, 'b'), last(0, 5), last(1, 6)]);
  expect(passedOn).toEqual([INPUT]);
  expect(translated.at(-1)).toEqual(INPUT);
});

test('a choice that begins after the usage of another adds no report, so that its text is estimated', () => {
  const { passedOn, translated } = reportsOf([text(0, 'a'), last(0, 5), text(1, 'b'), last(1, 6)]);
  expect(passedOn).toEqual([WHOLE]);
  // Nothing is reported again after the text of the second choice.
  expect(translated).toEqual([WHOLE]);
});

test('a report of all choices is taken as it is', () => {
  const all = { choices: [], usage: { prompt_tokens: 14, completion_tokens: 11, cached_tokens: 4 } };
  const { passedOn, translated } = reportsOf([text(0, 'a'), text(1, 'b'), last(0, 5), last(1, 6), all]);
  const total = usageOf({ input: 10, cache_read: 4, output: 11 });
  expect(passedOn.at(-1)).toEqual(total);
  expect(translated.at(-1)).toEqual(total);
});

test('of a whole response, too', () => {
  const choice = { message: { content: 'a' }, usage: counts(5) };
  const read = (body: { choices: object[] }) => readReport({ ...body }, Buffer.from(JSON.stringify(body))).usage;
  expect(read({ choices: [choice] })).toEqual(WHOLE);
  expect(read({ choices: [choice, choice] })).toEqual(INPUT);
});
