import type { Message } from '../../canonical/message.ts';
import type { ImagePart } from '../../canonical/part.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';

export const MEDIA_RESOLUTION_FIELD = 'generationConfig.mediaResolution';

/** The canonical image detail of a media resolution, if there is one. */
export function decodeMediaResolution(level: string | undefined): 'low' | 'high' | undefined {
  switch (level?.toUpperCase()) {
    case 'MEDIA_RESOLUTION_LOW':
      return 'low';
    case 'MEDIA_RESOLUTION_HIGH':
      return 'high';
    default:
      return undefined;
  }
}

/** The setting for all images, from their details. If they differ, the model decides, with a warning. */
export function encodeMediaResolution(messages: readonly Message[], diagnostics: Diagnostics): string | undefined {
  const images = messages.flatMap(imagesOf);
  const details = new Set(images.map((image) => image.detail ?? 'auto'));
  const [only] = details;
  if (details.size === 1 && only === 'low') return 'MEDIA_RESOLUTION_LOW';
  if (details.size === 1 && only === 'high') return 'MEDIA_RESOLUTION_HIGH';
  const odd = images.find((image) => image.detail !== undefined && image.detail !== 'auto');
  if (odd !== undefined)
    diagnostics.warn(odd.at, 'its detail is left to the model, since this provider has one for all images');
  return undefined;
}

function imagesOf(message: Message): ImagePart[] {
  switch (message.role) {
    case 'user':
      return message.parts.filter((part) => part.type === 'image');
    case 'tool':
      return message.parts.flatMap((result) => result.parts.filter((part) => part.type === 'image'));
    case 'assistant':
    case 'system':
    case 'developer':
      return [];
    default:
      return message satisfies never;
  }
}
