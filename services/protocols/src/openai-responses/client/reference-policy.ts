import type { FieldNote } from '../../field-note.ts';
import { note } from '../../field-note.ts';
import { isRecord, isSet } from '../../json/record.ts';
import type { DecodedRequest } from './parse.ts';
import type { Findings } from './policy.ts';

/** Top-level fields by which something stored in the account is taken up, and what to send instead. */
const REFERENCES: readonly (readonly [field: string, instead: string])[] = [
  ['previous_response_id', 'send the whole conversation in input'],
  ['conversation', 'send the whole conversation in input'],
  ['prompt', "send the prompt's text in instructions"],
  ['container', 'leave it out'],
  ['cached_content', 'send the content in input'],
];

/**
 * Refuses ids of things stored in the provider's account: the account is shared, so an id could name another customer's
 * data. The messages say what to send instead.
 */
export function guardReferences({ request }: DecodedRequest, { refusals }: Findings): void {
  for (const [field, instead] of REFERENCES) {
    if (!isSet(request[field])) continue;
    refusals.push(note(field, `ids of things stored at the provider are not accepted; ${instead}`));
  }
  if (isSet(request.prompt_cache_options?.['comparison_response_id'])) {
    const path = 'prompt_cache_options.comparison_response_id';
    refusals.push(note(path, 'ids of things stored at the provider are not accepted; leave it out'));
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

/** Refuses stored things named anywhere in a value of a shape that is not known here. */
export function guardUnknown(value: unknown, path: string, refusals: FieldNote[]): void {
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) guardUnknown(element, `${path}[${index}]`, refusals);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const place = `${path}.${key}`;
    if (ID_FIELDS.includes(key) && isSet(inner)) {
      refusals.push(note(place, 'ids of things stored at the provider are not accepted; send the content itself'));
    } else guardUnknown(inner, place, refusals);
  }
}
