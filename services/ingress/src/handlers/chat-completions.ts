import { Protocol } from '@tollgate/proto/router';
import { memberOf } from '@tollgate/protocols/json/object';
import { splice } from '@tollgate/protocols/json/splice';
import { chatRequestEdits } from '@tollgate/protocols/openai-chat/request-edits';
import { type AdmittedChat, admitChat } from '../chat/admit.ts';
import { countChatInput } from '../chat/count-input.ts';
import { ChatStreamRelay } from '../chat/stream-relay.ts';
import { WholeChatAnswer } from '../chat/whole-answer.ts';
import type { Dependencies } from '../dependencies.ts';
import { type AttemptPlan, tryRoutes } from '../exchange/attempts.ts';
import { chargeNothing } from '../exchange/charge.ts';
import { ClientPresence } from '../exchange/client-presence.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { type HeldCredit, takeHold } from '../exchange/take-hold.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../http/request-context.ts';
import { affinityOf } from '../routes/choose-route.ts';
import { protocolName } from '../routes/route-table.ts';
import { routeTableOf } from '../routes/route-watch.ts';
import { headerWarnings } from '../upstream/headers.ts';

const PROTOCOL = protocolName(Protocol.OPENAI_CHAT);

/** POST /v1/chat/completions: admits, holds credit, calls an upstream, relays its answer and charges for it. */
export function chatCompletions(deps: Dependencies) {
  return async (req: TollgateRequest, res: TollgateResponse): Promise<void> => {
    const { context, body } = res.locals;
    const key = keyOf(context);
    const admitted = admitChat(body, req.headers['content-type'], routeTableOf(deps.routes), key);
    const client = new ClientPresence(res);
    const held = await takeHold(deps.credit, {
      accountId: key.accountId,
      price: admitted.entry.price,
      inputTokens: admitted.bound.inputTokens,
      outputTokens: admitted.bound.outputTokensPerChoice,
      extraOutputTokens: admitted.bound.extraOutputTokens,
      choices: admitted.bound.choices,
      limitIsClients: admitted.bound.requestedOutputTokens !== undefined,
      floorTokens: deps.config.MIN_OUTPUT_TOKENS,
      shortageStatus: 400,
      rechargeUrl: deps.config.RECHARGE_URL,
      signal: client.signal,
    });
    if (held === undefined) return;
    try {
      const exchange: Exchange = {
        context,
        key,
        entry: admitted.entry,
        clientModel: admitted.decoded.model,
        hold: held.hold,
        client,
        res,
        protocolIn: PROTOCOL,
        protocolOut: PROTOCOL,
        streamed: admitted.decoded.isStream,
        warnings: [...admitted.guard.warnings.map((note) => note.message), ...headerWarnings(req.headers)],
        countInput: () => countChatInput(admitted.decoded.request),
      };
      const prompt = memberOf(admitted.decoded.object, 'messages');
      const affinity = affinityOf(key.accountId, body.subarray(prompt?.valueStart, prompt?.valueEnd));
      const result = await tryRoutes(deps, exchange, affinity, planOf(deps, exchange, admitted, held));
      if (result.kind === 'answered') return;
      if (result.attempt !== undefined) await chargeNothing(deps.metrics, exchange, result.attempt);
      throw result.error;
    } finally {
      // Ends a hold that no attempt or an unforeseen error left open; one that was charged is over already.
      held.hold.release();
    }
  };
}

function planOf(
  deps: Dependencies,
  exchange: Exchange,
  { decoded, guard }: AdmittedChat,
  held: HeldCredit,
): AttemptPlan {
  return {
    path: '/chat/completions',
    body: ({ deployment }) =>
      splice(decoded.object, [
        ...guard.edits,
        ...chatRequestEdits(decoded, {
          upstreamModel: deployment.upstreamModel,
          outputTokens: held.outputTokens,
          outputLimitField: 'max_completion_tokens',
        }),
      ]),
    receive: (attempt) =>
      decoded.isStream
        ? new ChatStreamRelay(deps, exchange, attempt, decoded.includeUsage)
        : new WholeChatAnswer(deps, exchange, attempt),
  };
}
