import { isRecord, isSet } from '../../json/record.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/** Top-level fields that refer to objects stored in the account, and what to send instead. */
const REFERENCES: readonly (readonly [field: string, instead: string])[] = [
  ['previous_response_id', 'send the full conversation in input'],
  ['conversation', 'send the full conversation in input'],
  ['prompt', "send the prompt's text in instructions"],
  ['container', 'remove it'],
  ['cached_content', 'send the content in input'],
];

/**
 * Rejects ids of objects stored in the provider's account: the account is shared, so an id could name another customer's
 * data. The messages say what to send instead.
 */
export function checkReferencePolicy({ request }: ParsedRequest, { errors }: PolicyFindings): void {
  for (const [field, instead] of REFERENCES) {
    if (!isSet(request[field])) continue;
    errors.push(diagnostic(field, `ids of objects stored at the provider are not accepted; ${instead}`));
  }
  if (isSet(request.prompt_cache_options?.['comparison_response_id'])) {
    const path = 'prompt_cache_options.comparison_response_id';
    errors.push(diagnostic(path, 'ids of objects stored at the provider are not accepted; remove it'));
  }
}

const ID_FIELDS: readonly string[] = [
  'file_id',
  'file_ids',
  'container_id',
  'container',
  'vector_store_id',
  'vector_store_ids',
  'skill_id',
];

/** Rejects references to stored objects anywhere in a value of unknown shape. */
export function checkUnknown(value: unknown, path: string, errors: Diagnostic[]): void {
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) checkUnknown(element, `${path}[${index}]`, errors);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const place = `${path}.${key}`;
    if (ID_FIELDS.includes(key) && isSet(inner)) {
      errors.push(diagnostic(place, 'ids of objects stored at the provider are not accepted; send the content itself'));
    } else checkUnknown(inner, place, errors);
  }
}
