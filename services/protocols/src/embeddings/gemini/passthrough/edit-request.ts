import { elementsOf } from '../../../json/elements.ts';
import { type JsonObject, memberOf } from '../../../json/object.ts';
import { scanObject } from '../../../json/scan.ts';
import { splice } from '../../../json/splice.ts';
import { modelResource } from '../shared/model-name.ts';

const LIMITS = { maxDepth: 64, uniqueKeys: true, within: [] };

/** The request for an upstream of the same protocol: the client's bytes except for the model's name. */
export function editRequest(object: JsonObject, upstreamModel: string, isBatch: boolean): Buffer {
  return isBatch ? editBatch(object, upstreamModel) : editSingle(object, upstreamModel);
}

function editSingle(object: JsonObject, upstreamModel: string): Buffer {
  return memberOf(object, 'model') === undefined ? object.bytes : withModel(object, upstreamModel);
}

/** Google requires the model in each element of a batch. */
function editBatch(object: JsonObject, upstreamModel: string): Buffer {
  const { bytes } = object;
  const requests = memberOf(object, 'requests');
  if (requests === undefined) return editSingle(object, upstreamModel);
  const elements = elementsOf(object, requests).map(({ start, end }) => {
    const element = bytes.subarray(start, end);
    const scanned = scanObject(element, LIMITS);
    return scanned.ok ? withModel(scanned.object, upstreamModel) : element;
  });
  const json = `[${elements.map((element) => element.toString('utf8')).join(',')}]`;
  const edits = [{ op: 'set' as const, path: ['requests'] as const, json }];
  if (memberOf(object, 'model') === undefined) return splice(object, edits);
  return splice(object, [...edits, modelEdit(upstreamModel)]);
}

function withModel(object: JsonObject, upstreamModel: string): Buffer {
  return splice(object, [modelEdit(upstreamModel)]);
}

function modelEdit(upstreamModel: string) {
  return { op: 'set' as const, path: ['model'] as const, json: JSON.stringify(modelResource(upstreamModel)) };
}
