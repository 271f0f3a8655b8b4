import type { JsonObject } from '../../../json/object.ts';
import { splice } from '../../../json/splice.ts';

/** The request for an upstream of the same protocol: the client's bytes except for the model's name. */
export function editRequest(object: JsonObject, upstreamModel: string): Buffer {
  return splice(object, [{ op: 'set', path: ['model'], json: JSON.stringify(upstreamModel) }]);
}
