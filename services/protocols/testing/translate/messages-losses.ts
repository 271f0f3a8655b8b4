import type { OutputPart } from '../../src/canonical/part.ts';
import type { CanonicalResponse } from '../../src/canonical/response.ts';

/**
 * What a messages response has of another: it does not end in reasoning without text, and the signature of a text is only
 * in reasoning before it.
 */
export function asMessages({ choices, ...rest }: CanonicalResponse, isStream: boolean): CanonicalResponse {
  const shown = choices.map((choice) => {
    const parts = choice.parts.map((part, index): OutputPart => {
      const before = choice.parts[index - 1];
      const hasPlace = !isStream && before?.type === 'reasoning' && before.opaque === undefined;
      if (part.type !== 'text' || hasPlace) return part;
      const { opaque: _lost, ...text } = part;
      return text;
    });
    const end = parts.findLastIndex((part) => part.type !== 'reasoning' || part.text !== '');
    return { ...choice, parts: parts.slice(0, end + 1) };
  });
  return { ...rest, choices: shown };
}
