import { memberOf } from '../../json/object.ts';
import { isRecord, type JsonRecord, parseJson, wholeNumber } from '../../json/record.ts';
import { scanObject } from '../../json/scan.ts';
import type { CallLine, ClientCount, NativeCount, RequestReading } from '../../protocol.ts';
import { MAX_REQUEST_DEPTH, MAX_REQUEST_VALUES } from '../../read-json-request.ts';
import type { Stages } from '../../stages.ts';
import { bareModel, modelPath } from '../shared/model-path.ts';
import { numberOf } from '../shared/number.ts';

const LIMITS = { maxDepth: MAX_REQUEST_DEPTH, maxValues: MAX_REQUEST_VALUES, uniqueKeys: true, within: [] };
const WHOLE_REQUEST = ['generateContentRequest', 'generate_content_request'];

/** The client's `countTokens`, whose body is a request's contents or a whole request. */
export function clientCount(read: (body: Buffer, call: CallLine) => Stages<RequestReading>): ClientCount {
  return {
    *readRequest(body, call) {
      const scanned = scanObject(body, LIMITS);
      yield;
      if (!scanned.ok) return { ok: false, error: { path: scanned.error.path, message: scanned.error.message } };
      const { object } = scanned;
      const [first, second] = WHOLE_REQUEST.flatMap((key) => memberOf(object, key) ?? []);
      if (first === undefined || first.kind === 'null') return yield* read(body, call);
      const other = second ?? memberOf(object, 'contents');
      if (other !== undefined) {
        const message = `${other.key}: not allowed together with ${first.key}; send only one`;
        return { ok: false, error: { path: other.key, message } };
      }
      const inner = yield* read(body.subarray(first.valueStart, first.valueEnd), { ...call, stream: 'none' });
      return inner.ok ? inner : { ok: false, error: within(first.key, inner.error) };
    },
    encodeAnswer: (tokens) => JSON.stringify({ totalTokens: tokens }),
  };
}

function within(key: string, error: { readonly path: string; readonly message: string }) {
  if (error.path === '') return { path: key, message: `${key}: ${error.message}` };
  const path = `${key}.${error.path}`;
  return { path, message: error.message.replace(error.path, () => path) };
}

/** Google's own `countTokens`. */
export const nativeCount: NativeCount = {
  path: (model) => `${modelPath(model)}:countTokens`,
  encodeRequest: (request: JsonRecord, model) => ({
    generateContentRequest: { ...request, model: `models/${bareModel(model)}` },
  }),
  decode: (body) => {
    const answer = parseJson(body.toString('utf8'));
    return isRecord(answer) ? wholeNumber(numberOf(answer['totalTokens'])) : undefined;
  },
};
