import type { Protocol } from '@tollgate/protocols/interface/protocol';
import type { Edge } from '../edge/edge.ts';
import { COUNTS_PER_MINUTE } from '../edge/limits/applicable.ts';
import { NO_PATH_PARAMETERS } from '../plan/generate/read-request.ts';
import {
  keyOf,
  type RequestContext,
  type TollgateRequest,
  type TollgateResponse,
} from '../shared/request/request-context.ts';
import { setWarnings } from '../shared/request/response.ts';
import type { Wallet } from '../wallet/index.ts';
import type { CallDependencies } from './generate.ts';

export interface CountTokensDependencies extends CallDependencies {
  edge: Edge;
  wallet: Wallet;
}

const ESTIMATE = 'the count is an estimate by a general tokenizer, without images';

/**
 * A protocol's own endpoint for counting a prompt's tokens, which is free. It returns the count of the model's provider
 * where that has one and the account may have it asked, otherwise a tokenizer's with a warning that it is an estimate.
 * Clients count parts of conversations, such as one tool result, which no provider would accept as a prompt: they are
 * estimated too.
 */
export function createCountTokensHandler(deps: CountTokensDependencies, protocol: Protocol) {
  const { name, count } = protocol;
  if (count === undefined) throw new Error(`${name} has no call for counting tokens`);
  const { planner, exchanges } = deps;
  return async (req: TollgateRequest, res: TollgateResponse, path = NO_PATH_PARAMETERS): Promise<void> => {
    const { context } = res.locals;
    const planned = await planner.count(protocol, count, req, res, path);
    const { atProvider, warnings, problem } = planned;
    const withheld = atProvider === undefined ? undefined : await whyWithheld(deps, context);
    const native =
      withheld === undefined ? await atProvider?.((route, question) => exchanges.ask(route, question)) : undefined;
    await planned.pause();
    const tokens = native ?? (await planned.estimate());
    const body = count.encodeResponse(tokens);
    res.statusCode = 200;
    res.setHeader('content-type', 'application/json');
    res.setHeader('content-length', Buffer.byteLength(body));
    setWarnings(res, [
      ...warnings,
      ...(native === undefined ? [[ESTIMATE, withheld].filter(Boolean).join(': ')] : []),
      ...(problem === undefined ? [] : [problem]),
    ]);
    await context.admission?.recordUsage(0);
    res.end(body);
  };
}

/**
 * Why an account's prompts are not sent to a provider, which would do the work for nothing; undefined if they are. The
 * limit comes first: it also limits how often the ledger is asked.
 */
async function whyWithheld(
  { edge, wallet }: Pick<CountTokensDependencies, 'edge' | 'wallet'>,
  context: RequestContext,
): Promise<string | undefined> {
  if (!(await edge.mayCount(context))) {
    return `the provider is asked for at most ${COUNTS_PER_MINUTE} counts per minute`;
  }
  return (await wallet.hasCredit(keyOf(context).accountId)) ? undefined : 'the account has no credit';
}
