import { diagnostic } from '../../diagnostic.ts';
import { memberOf } from '../../json/object.ts';
import { scanObject } from '../../json/scan.ts';
import { MAX_REQUEST_DEPTH, MAX_REQUEST_VALUES } from '../../parse-json-request.ts';
import type { ClientCount } from '../../protocol.ts';
import { parseClientRequest } from './client-request.ts';

const LIMITS = { maxDepth: MAX_REQUEST_DEPTH, maxValues: MAX_REQUEST_VALUES, uniqueKeys: true, within: [] };
const COMPLETE_REQUEST = ['generateContentRequest', 'generate_content_request'];

/** `countTokens`, whose body is a request's contents or a complete request. */
export const clientCount: ClientCount = {
  *parseRequest(body, path) {
    const scanned = scanObject(body, LIMITS);
    yield;
    if (!scanned.ok) return { ok: false, error: { path: scanned.error.path, message: scanned.error.message } };
    const { object } = scanned;
    const [first, second] = COMPLETE_REQUEST.flatMap((key) => memberOf(object, key) ?? []);
    if (first === undefined || first.kind === 'null') return yield* parseClientRequest(body, path);
    const other = second ?? memberOf(object, 'contents');
    if (other !== undefined) {
      return { ok: false, error: diagnostic(other.key, `not allowed together with ${first.key}; send only one`) };
    }
    const inner = body.subarray(first.valueStart, first.valueEnd);
    const result = yield* parseClientRequest(inner, { ...path, stream: 'none' });
    return result.ok ? result : { ok: false, error: within(first.key, result.error) };
  },
  encodeResponse: (tokens) => JSON.stringify({ totalTokens: tokens }),
};

function within(key: string, error: { readonly path: string; readonly message: string }) {
  if (error.path === '') return { path: key, message: `${key}: ${error.message}` };
  const path = `${key}.${error.path}`;
  return { path, message: error.message.replace(error.path, () => path) };
}
