import type { OutputPart } from '../../src/canonical/part.ts';
import type { CanonicalResponse } from '../../src/canonical/response.ts';
import type { PartHead, StreamEvent } from '../../src/canonical/stream.ts';
import { append } from '../../src/lists/stages.ts';

/** A response as the shortest equivalent stream. collectResponse turns it back into the response. */
export function toStreamEvents(response: CanonicalResponse): StreamEvent[] {
  const events: StreamEvent[] = [{ type: 'start', id: response.id, created: response.created }];
  let number = 0;
  for (const [choice, { parts, finish, logprobs }] of response.choices.entries()) {
    const text = parts.findIndex((part) => part.type === 'text');
    for (const [i, part] of parts.entries()) {
      const reported = eventsOf(part, number++, choice);
      const end = i === text && logprobs !== undefined ? reported.pop() : undefined;
      append(events, reported);
      // Log probabilities are of text: they come while it does, where there is any.
      if (end !== undefined && logprobs !== undefined) events.push({ type: 'logprobs', choice, tokens: logprobs }, end);
    }
    if (text === -1 && logprobs !== undefined) events.push({ type: 'logprobs', choice, tokens: logprobs });
    events.push({ type: 'finish', choice, finish });
  }
  if (response.usage !== undefined) events.push({ type: 'usage', usage: response.usage });
  return events;
}

function eventsOf(content: OutputPart, part: number, choice: number): StreamEvent[] {
  if (content.type === 'image' || content.type === 'audio') return [{ type: 'media', part, choice, content }];
  const opaque = content.type === 'refusal' ? undefined : content.opaque;
  const signature = opaque === undefined ? {} : { opaque };
  const isCall = content.type === 'tool-call';
  const events: StreamEvent[] = [{ type: 'part-start', part, choice, head: headOf(content), ...(isCall && signature) }];
  const text = content.type === 'tool-call' ? content.input : content.text;
  if (text !== '') events.push({ type: 'part-delta', part, text });
  if (content.type === 'text') {
    for (const citation of content.citations ?? []) events.push({ type: 'part-citation', part, citation });
  }
  events.push({ type: 'part-end', part, ...(!isCall && signature) });
  return events;
}

function headOf(content: Exclude<OutputPart, { readonly type: 'image' | 'audio' }>): PartHead {
  switch (content.type) {
    case 'text':
    case 'refusal':
      return { type: content.type };
    case 'reasoning':
      return { type: 'reasoning', form: content.form };
    case 'tool-call':
      return { type: 'tool-call', id: content.id, name: content.name, kind: content.kind };
    default:
      return content satisfies never;
  }
}
