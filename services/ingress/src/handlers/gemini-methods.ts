import { gemini } from '@tollgate/protocols/gemini/index';
import type { PathParameters } from '@tollgate/protocols/interface/protocol';
import { apiErrors } from '../shared/errors/api-error.ts';
import { pathParameter, type TollgateRequest, type TollgateResponse } from '../shared/request/request-context.ts';
import { type CountTokensDependencies, createCountTokensHandler } from './count-tokens.ts';
import { createGeminiBatchEmbedContentsHandler, createGeminiEmbedContentHandler } from './embeddings.ts';
import { createGenerateHandler } from './generate.ts';

type Method = (req: TollgateRequest, res: TollgateResponse, path: PathParameters) => Promise<void>;

/**
 * POST /v1beta/models/{model}:{method}: the calls of Google's protocol. The method follows the last colon, since model
 * ids may contain colons and slashes. The prefix `models/` that Google's SDKs add to an id is dropped.
 */
export function createGeminiMethodsHandler(deps: CountTokensDependencies) {
  const methods = new Map<string, Method>([
    ['generateContent', createGenerateHandler(deps, gemini, 402)],
    ['streamGenerateContent', createGenerateHandler(deps, gemini, 402)],
    ['countTokens', createCountTokensHandler(deps, gemini)],
    ['embedContent', createGeminiEmbedContentHandler(deps)],
    ['batchEmbedContents', createGeminiBatchEmbedContentsHandler(deps)],
  ]);
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const rest = pathParameter(req, 'id');
    const colon = rest.lastIndexOf(':');
    const name = rest.slice(colon + 1);
    const method = colon === -1 ? undefined : methods.get(name);
    if (method === undefined) throw apiErrors.unknownPath(req.method, req.path);
    res.locals.route = `/v1beta/models/{model}:${name}`;
    const model = rest.slice(0, colon).replace(/^models\//, '');
    await method(req, res, { model, stream: name === 'streamGenerateContent' ? streamForm(req) : 'none' });
  };
}

/** Without `alt=sse` a stream is one JSON array. */
function streamForm(req: TollgateRequest): PathParameters['stream'] {
  return req.query['alt'] === 'sse' ? 'sse' : 'json-array';
}
