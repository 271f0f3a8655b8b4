import type { OutputPart } from './part.ts';
import type { CanonicalResponse } from './response.ts';
import type { StreamEvent } from './stream.ts';

/** All generated text of a response, including reasoning and tool inputs, for counting it. */
export function generatedText(response: CanonicalResponse): string {
  let text = '';
  for (const choice of response.choices) for (const part of choice.parts) text += textOfPart(part);
  return text;
}

/** The generated text of a part. */
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

/** The generated text of a stream event. */
export function textOfEvent(event: StreamEvent): string {
  if (event.type === 'part-delta') return event.text;
  return event.type === 'part-start' && event.head.type === 'tool-call' ? event.head.name : '';
}
