import type { ParsedRequest } from './parse.ts';

/**
 * All texts that a provider tokenizes, for counting them. An estimate: the bytes of images and files, which come
 * as data URLs, count as nothing.
 */
export function requestTexts({ request }: ParsedRequest): string[] {
  const texts: string[] = [];
  for (const message of request.messages) collect(message, texts);
  collect(request.tools ?? [], texts);
  collect(request.functions ?? [], texts);
  return texts;
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (!value.startsWith('data:')) texts.push(value);
  } else if (Array.isArray(value)) {
    for (const element of value) collect(element, texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) collect(inner, texts);
  }
}
