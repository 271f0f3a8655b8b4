import { once } from 'node:events';
import { isGrpcError } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { PlaygroundRequest } from '@tollgate/proto/console/models';
import type { Response } from 'express';
import type { Dependencies } from '../dependencies.ts';
import { ApiError, apiErrors } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { OpenShares } from '../http/open-shares.ts';
import { callGateway, chatBody } from '../playground/call-gateway.ts';
import { errorEvent } from '../playground/chat-chunks.ts';
import { type Relayed, relayChat } from '../playground/relay-chat.ts';
import type { Session } from '../sessions/session.ts';

const MAX_MS = 600_000;
/** Responses that one person, and all together, may have open in this process. */
const MAX_OPEN_OF_PERSON = 4;
const MAX_OPEN = 200;
const UNAUTHORIZED = 401;

/**
 * Handler of the playground: sends a chat request to the gateway at the expense of the account, and streams its response as
 * server-sent events. Neither prompts nor responses are logged or kept.
 */
export function playgroundHandlers(deps: Dependencies) {
  const open = new OpenShares();
  return {
    playground: async (request, call) => {
      const { session, response } = call;
      if (session === undefined) throw apiErrors.notSignedIn();
      const release = open.take(sharesOf(session.personId));
      const signal = AbortSignal.any([call.signal, AbortSignal.timeout(MAX_MS)]);
      try {
        const sentAt = performance.now();
        const upstream = await askGateway(deps, request, session, signal);
        writeHead(response);
        for await (const relayed of relayChat(upstream, sentAt)) await write(response, relayed, signal);
      } catch (error) {
        // Those of auth, which has created no key.
        if (error instanceof ApiError || isGrpcError(error)) throw error;
        if (!call.signal.aborted) sendFailure(deps.logger, response, error, signal.aborted);
      } finally {
        release();
      }
      response.end();
      return undefined;
    },
  } satisfies Partial<Handlers>;
}

/** Repeats the call once with a new key if somebody has deleted the one in use. */
async function askGateway(
  { config, playgroundKeys }: Dependencies,
  request: PlaygroundRequest,
  session: Session,
  signal: AbortSignal,
): Promise<globalThis.Response> {
  const { accountId } = request;
  const gatewayUrl = config.GATEWAY_URL ?? config.BASE_URL;
  const chat = chatBody(request);
  const first = await callGateway(gatewayUrl, await playgroundKeys.valueFor(session, accountId), chat, signal);
  if (first.status !== UNAUTHORIZED || !(await playgroundKeys.forgetIfDeleted(session, accountId))) return first;
  await first.body?.cancel();
  return callGateway(gatewayUrl, await playgroundKeys.valueFor(session, accountId), chat, signal);
}

function writeHead(response: Response): void {
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  response.setHeader('cache-control', 'no-store, no-transform');
  // Proxies must not collect the response.
  response.setHeader('x-accel-buffering', 'no');
  response.flushHeaders();
}

/** Writes an event; waits for a slow client. */
async function write(response: Response, relayed: Relayed, signal: AbortSignal): Promise<void> {
  const text = relayed === 'still open' ? ': still open\n\n' : `data: ${JSON.stringify(relayed)}\n\n`;
  if (!response.write(text)) await once(response, 'drain', { signal });
}

/** Tells the client what went wrong between the console and the gateway. */
function sendFailure(logger: Logger, response: Response, error: unknown, timedOut: boolean): void {
  logger.warn({ err: error }, 'the gateway could not be called from the playground');
  if (!response.headersSent) writeHead(response);
  const message = timedOut
    ? `The response took longer than ${MAX_MS / 60_000} minutes.`
    : 'The gateway did not respond as expected. Try again in a moment.';
  const event = errorEvent({ message, type: 'internal_error' }, undefined);
  response.write(`data: ${JSON.stringify(event)}\n\n`);
}

function sharesOf(personId: string) {
  const own = {
    holder: personId,
    max: MAX_OPEN_OF_PERSON,
    refusal: `You have ${MAX_OPEN_OF_PERSON} responses open, as many as one person may. Wait for one to end.`,
  };
  const ofAll = {
    holder: 'all',
    max: MAX_OPEN,
    refusal: `All people together have ${MAX_OPEN} responses open, as many as there may be. Try again in a moment.`,
  };
  return [own, ofAll];
}
