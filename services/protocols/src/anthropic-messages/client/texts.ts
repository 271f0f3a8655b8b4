import { isRecord } from '../../json/record.ts';
import { hasAttribution } from '../shared/attribution.ts';
import type { Block } from '../shared/block-schema.ts';
import type { ParsedRequest } from './parse.ts';

/** Members with texts that the model does not read. */
const NOT_READ: ReadonlySet<string> = new Set([
  'cache_control',
  'citations',
  'data',
  'encrypted_content',
  'id',
  'media_type',
  'signature',
  'tool_use_id',
  'type',
  'url',
]);

/** All texts that the provider tokenizes, without Claude Code's attribution. Images and documents other than text have none. */
export function requestTexts({ request }: ParsedRequest): string[] {
  const texts: string[] = [];
  collect(hasAttribution(request.system) ? request.system.slice(1) : request.system, texts);
  for (const message of request.messages) {
    if (typeof message.content === 'string') texts.push(message.content);
    else for (const block of message.content ?? []) collectBlock(block, texts);
  }
  for (const tool of request.tools ?? []) texts.push(JSON.stringify(tool));
  return texts;
}

function collectBlock(block: Block, texts: string[]): void {
  if (block.type === 'tool_use') texts.push(block.name, JSON.stringify(block.input));
  else if (block.type === 'document' && block.source.type === 'text') texts.push(block.title ?? '', block.source.data);
  else collect(block, texts);
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value);
  else if (Array.isArray(value)) for (const element of value) collect(element, texts);
  else if (isRecord(value)) {
    for (const [key, inner] of Object.entries(value)) if (!NOT_READ.has(key)) collect(inner, texts);
  }
}
