import type { OutputPart } from './part.ts';
import type { CanonicalResponse } from './response.ts';
import type { StreamEvent } from './stream.ts';

/** All text that was generated in a response, thoughts and tool inputs included, for counting it. */
export function generatedText(response: CanonicalResponse): string {
  let text = '';
  for (const choice of response.choices) for (const part of choice.parts) text += textOfPart(part);
  return text;
}

/** What a part counts as. */
export function textOfPart(part: OutputPart): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return part.text;
    case 'tool-call':
      return part.name + part.input;
    case 'image':
    case 'audio':
      return '';
    default:
      return part satisfies never;
  }
}

/** The same of a step of a stream. */
export function textOfEvent(event: StreamEvent): string {
  if (event.type === 'part-delta') return event.text;
  return event.type === 'part-start' && event.head.type === 'tool-call' ? event.head.name : '';
}
