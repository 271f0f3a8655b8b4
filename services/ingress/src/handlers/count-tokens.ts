import type { Protocol } from '@tollgate/protocols/protocol';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../errors/api-error.ts';
import { admitModel } from '../generate/admit.ts';
import { ALL_IN_BODY } from '../generate/call-line.ts';
import { countAtProvider } from '../generate/count-at-provider.ts';
import { countInput } from '../generate/count-input.ts';
import { sentence } from '../generate/sentence.ts';
import { pausesFor, runStages } from '../generate/stages.ts';
import { limitOfModel, waysOf } from '../generate/ways.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { requireJson } from '../http/require-json.ts';
import { setWarnings } from '../http/warnings.ts';
import { resolveItemReferences } from '../items/resolve-references.ts';
import { routeTableOf } from '../model-routing/route-watch.ts';
import { forwardedHeaders } from '../upstream/client-headers.ts';

const ESTIMATE = 'the tokens were counted with a general tokenizer, images not at all: an estimate';

/**
 * A protocol's own call for counting a prompt's tokens. It costs nothing and works at a zero balance. Where the model's
 * provider counts, its count is given; else a tokenizer's, which is said to be an estimate.
 */
export function countTokens(deps: Dependencies, protocol: Protocol) {
  const { count } = protocol;
  if (count === undefined) throw new Error(`${protocol.name} has no call for counting tokens`);
  return async (req: TollgateRequest, res: TollgateResponse, call = ALL_IN_BODY): Promise<void> => {
    const { context } = res.locals;
    const key = keyOf(context);
    requireJson(req.headers['content-type']);
    const body = await resolveItemReferences(deps, protocol.name, key.accountId, res.locals.body);
    const pause = pausesFor(body.length);
    await pause();
    const result = await runStages(count.parseRequest(body, call), pause);
    await pause();
    if (!result.ok) throw apiErrors.invalidRequest(sentence(result.error.message));
    const { request } = result;
    const entry = admitModel(request, protocol.name, routeTableOf(deps.routes), key);
    const limit = limitOfModel(request, Number(entry.model.maxOutputTokens));
    const ways = await runStages(waysOf(protocol, request, entry, limit), pause);
    const passed = forwardedHeaders(req.headers, protocol.name);
    const native = await countAtProvider(deps, context, { entry, ways, passed, pause });
    await pause();
    const tokens = native ?? (await countInput(request));
    const answer = count.encodeResponse(tokens);
    res.statusCode = 200;
    res.setHeader('content-type', 'application/json');
    res.setHeader('content-length', Buffer.byteLength(answer));
    setWarnings(res, [
      ...request.policy.warnings.map((note) => note.message),
      ...(native === undefined ? [ESTIMATE] : []),
    ]);
    res.end(answer);
  };
}
