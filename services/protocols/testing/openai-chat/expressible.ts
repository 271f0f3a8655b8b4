import type { OutputPart, TextPart } from '../../src/canonical/part.ts';
import type { Choice } from '../../src/canonical/response.ts';
import { CACHE_WRITE_BUCKETS, type Usage, writtenTokensOf } from '../../src/canonical/usage.ts';
import { decodeFinish, encodeFinishReason } from '../../src/openai-chat/shared/finish-reason.ts';
import { containedIn } from '../../src/openai-chat/upstream/decode-response.ts';

/** What chat completions can express of a usage: they count writes to a cache of all lifetimes together. */
export function expressibleUsage(usage: Usage): Usage {
  const none = Object.fromEntries(CACHE_WRITE_BUCKETS.map((bucket) => [bucket, 0]));
  return { ...usage, ...none, cache_write_5m: writtenTokensOf(usage) };
}

/** What a streamed choice can express: recordings have no media type, and neighbouring refusals are one. */
export function expressible({ parts, finish, logprobs }: Choice): Choice {
  const expressed: OutputPart[] = [];
  for (const part of parts) {
    if (part.type === 'audio') continue;
    const last = expressed.at(-1);
    if (part.type === 'refusal' && last?.type === 'refusal') {
      expressed[expressed.length - 1] = { ...last, text: last.text + part.text };
    } else expressed.push(part.type === 'text' ? expressibleText(part) : part);
  }
  const contents = containedIn(expressed);
  const reason = decodeFinish(encodeFinishReason(finish, contents), contents);
  return { parts: expressed, finish: reason, ...(logprobs !== undefined && { logprobs }) };
}

function expressibleText(part: TextPart): TextPart {
  if (part.citations === undefined) return part;
  const citations = part.citations.map(({ url = '', title = '', textRange = { start: 0, end: 0 } }) => ({
    url,
    ...(title !== '' && { title }),
    textRange,
  }));
  return { ...part, citations };
}

/** What the choice of a buffered response can express: a message has its parts by kind. */
export function expressibleBuffered(choice: Choice): Choice {
  const { parts, ...rest } = expressible(choice);
  const refusal = parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : [])).join('');
  const expressed: OutputPart[] = [
    ...parts.filter((part) => part.type === 'reasoning'),
    ...parts.filter((part) => part.type === 'text'),
    ...(refusal === '' ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...parts.filter((part) => part.type === 'image'),
    ...parts.filter((part) => part.type === 'tool-call'),
  ];
  return { parts: expressed, ...rest };
}
