import { gemini } from '@tollgate/protocols/gemini/index';
import type { PathParameters } from '@tollgate/protocols/interface/protocol';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../errors/api-error.ts';
import { pathParameter, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { countTokens } from './count-tokens.ts';
import { batchEmbedContents, embedContent } from './gemini-embed.ts';
import { generate } from './generate.ts';

type Method = (req: TollgateRequest, res: TollgateResponse, call: PathParameters) => Promise<void>;

/**
 * POST /v1beta/models/{model}:{method}: the calls of Google's protocol. The method follows the last colon, since ids
 * of models may contain colons and slashes. The `models/` that Google's SDKs put before an id is dropped.
 */
export function geminiMethods(deps: Dependencies) {
  const methods = new Map<string, Method>([
    ['generateContent', generate(deps, gemini, 402)],
    ['streamGenerateContent', generate(deps, gemini, 402)],
    ['countTokens', countTokens(deps, gemini)],
    ['embedContent', embedContent(deps)],
    ['batchEmbedContents', batchEmbedContents(deps)],
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
