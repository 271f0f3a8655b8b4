import type { ParsedRequest } from './parse.ts';

/** Members with media bytes or encrypted data, which are not text of the prompt. */
const NO_TEXT: ReadonlySet<string> = new Set([
  'type',
  'role',
  'id',
  'call_id',
  'status',
  'detail',
  'image_url',
  'file_data',
  'file_url',
  'input_audio',
  'encrypted_content',
]);

/** All texts that a provider tokenizes, for counting them. An estimate: images and files count as nothing. */
export function requestTexts({ request }: ParsedRequest): string[] {
  const texts: string[] = [];
  collect(request.instructions, texts);
  collect(request.input, texts);
  collect(request.tools, texts);
  collect(request.text?.format, texts);
  return texts;
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (value !== '') texts.push(value);
  } else if (Array.isArray(value)) {
    for (const element of value) collect(element, texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) if (!NO_TEXT.has(key)) collect(inner, texts);
  }
}
