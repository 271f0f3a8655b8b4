import { newToken } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import { usageOf } from '@tollgate/protocols/canonical/usage';
import { openaiResponses } from '@tollgate/protocols/openai-responses/index';
import { turnOf } from '../edge/http/connections.ts';
import { NO_PATH_PARAMETERS } from '../plan/generate/read-request.ts';
import { policyWith } from '../plan/generate/sent-limits.ts';
import type { TollgateRequest, TollgateResponse } from '../shared/request/request-context.ts';
import { setWarnings } from '../shared/request/response.ts';
import { type CallDependencies, createGenerateHandler } from './generate.ts';

const NOTHING = usageOf({});

/** The endpoint that creates responses, also for messages of WebSockets. */
export function createResponsesHandler(deps: CallDependencies) {
  const generate = createGenerateHandler(deps, openaiResponses, 400);
  return (req: TollgateRequest, res: TollgateResponse): Promise<void> =>
    turnOf(req)?.isWarmUp === true ? warmUp(deps, req, res) : generate(req, res);
}

/**
 * Prepares a response: checks the request and sends a response without output, which the socket's next message can
 * continue. Free, since no provider is called.
 */
async function warmUp({ planner }: CallDependencies, req: TollgateRequest, res: TollgateResponse): Promise<void> {
  const { context } = res.locals;
  const { request, hosted } = await planner.check(openaiResponses, req, res, NO_PATH_PARAMETERS);
  const created = Math.floor(context.startedAtMs / 1_000);
  const cost = formatDollars(0n);
  const encoder = request.streamEncoder({ model: request.model, created, newId: newToken, costOf: () => cost });
  const events = encoder.push([
    { type: 'start', id: '', created },
    { type: 'finish', choice: 0, finish: { reason: 'stop', raw: '' } },
  ]);
  await context.admission?.recordUsage(0);
  res.statusCode = 200;
  res.setHeader('content-type', request.streamContentType);
  setWarnings(
    res,
    policyWith(request, hosted?.uses).warnings.map(({ message }) => message),
  );
  res.end(
    Buffer.concat([
      ...(events === undefined ? [] : [events]),
      encoder.close({ usage: NOTHING, estimated: false, cost }),
    ]),
  );
}
