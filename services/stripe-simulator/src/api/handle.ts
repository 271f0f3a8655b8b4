import type { IncomingMessage, ServerResponse } from 'node:http';
import { Stripe } from 'stripe';
import { readBody } from '../body.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Call } from './calls.ts';
import { expand } from './expand.ts';
import { StripeFailure } from './failure.ts';
import { failureWith } from './faults.ts';
import { parseForm } from './form.ts';
import type { Answer } from './idempotency.ts';
import type { CallContext, Prepared } from './route.ts';
import { ROUTES } from './routes.ts';

/** Maximum size of a call's body. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Answers a call of the API. */
export async function handleApi(
  dependencies: Dependencies,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { world, calls, faults, keys } = dependencies;
  const method = request.method ?? '';
  const path = url.pathname;
  const body = await readBody(request, MAX_BODY_BYTES);
  const requestId = world.ids.next('req_', 14);
  const key = method === 'POST' ? (headerOf(request, 'idempotency-key') ?? null) : null;
  const call = calls.begin({
    request_id: requestId,
    method,
    path,
    parameters: {},
    idempotency_key: key,
    stripe_version: headerOf(request, 'stripe-version') ?? null,
  });
  const send = (answer: Answer, replayed = false) => {
    call.status = answer.status;
    call.replayed = replayed;
    sendAnswer(response, answer, { requestId, key, replayed });
  };
  const refuse = (error: unknown) => send(answerOf(failureOf(error), requestId));
  const lose = () => {
    call.lost = true;
    response.destroy();
  };

  let prepared: Prepared;
  try {
    if (body === undefined) throw new StripeFailure(413, 'The body is too large.');
    checkKey(dependencies, request);
    checkVersion(call);
    call.parameters = parseForm(method === 'GET' ? url.search.slice(1) : body.toString('utf8'));
    prepared = prepare(dependencies, call);
  } catch (error) {
    return refuse(error);
  }

  const fault = faults.take(method, path);
  if (fault?.kind === 'lose_request') return lose();
  if (fault?.kind === 'status') return refuse(failureWith(fault.status));

  try {
    const recorded = key === null ? undefined : keys.begin(key, path, JSON.stringify(call.parameters));
    if (recorded !== undefined) return fault?.kind === 'lose_response' ? lose() : send(recorded, true);
  } catch (error) {
    return refuse(error);
  }
  if (fault?.kind === 'hold_request') await faults.hold();
  let answer = run(dependencies, call, prepared);
  if (fault?.kind === 'recorded_error') answer = answerOf(failureWith(500), requestId);
  if (fault?.kind === 'hold_response') await faults.hold();
  if (key !== null) keys.record(key, answer);
  if (fault?.kind === 'lose_response') return lose();
  send(answer);
}

function prepare({ world }: Dependencies, { method, path, parameters }: Call): Prepared {
  for (const route of ROUTES) {
    const match = route.method === method ? route.path.exec(path) : null;
    if (match === null) continue;
    const context: CallContext = { world, ids: match.slice(1).map(decodeURIComponent) };
    return route.prepare(parameters, context);
  }
  throw new StripeFailure(404, `Unrecognized request URL (${method}: ${path}). This simulator has no such endpoint.`);
}

function run({ world, onError }: Dependencies, call: Call, prepared: Prepared): Answer {
  world.cause = { id: call.request_id, idempotency_key: call.idempotency_key };
  try {
    const result = expand(world, prepared.run(), prepared.expand);
    return { status: 200, body: JSON.stringify(result, null, 2), requestId: call.request_id };
  } catch (error) {
    if (!(error instanceof StripeFailure)) onError(error);
    return answerOf(failureOf(error), call.request_id);
  } finally {
    world.cause = null;
  }
}

/** @throws StripeFailure for a missing or another key */
function checkKey({ secretKey }: Dependencies, request: IncomingMessage): void {
  const [scheme = '', credentials = ''] = (headerOf(request, 'authorization') ?? '').split(' ');
  const key =
    scheme.toLowerCase() === 'basic'
      ? Buffer.from(credentials, 'base64').toString('utf8').split(':')[0]
      : scheme.toLowerCase() === 'bearer'
        ? credentials
        : '';
  if (key === undefined || key === '') {
    throw new StripeFailure(
      401,
      'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.',
    );
  }
  const isRight = secretKey === undefined ? key.startsWith('sk_test_') : key === secretKey;
  if (!isRight) throw new StripeFailure(401, 'Invalid API Key provided. This simulator takes test keys (sk_test_...).');
}

/** The shapes are those of one version. */
function checkVersion({ stripe_version: version }: Call): void {
  if (version === null || version === Stripe.API_VERSION) return;
  throw new StripeFailure(400, `This simulator speaks version ${Stripe.API_VERSION} of the API only.`);
}

function failureOf(error: unknown): StripeFailure {
  return error instanceof StripeFailure ? error : failureWith(500);
}

function answerOf(failure: StripeFailure, requestId: string): Answer {
  return { status: failure.status, body: JSON.stringify(failure, null, 2), requestId };
}

function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  { requestId, key, replayed }: { requestId: string; key: string | null; replayed: boolean },
): void {
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': Stripe.API_VERSION,
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...(replayed ? { 'idempotent-replayed': 'true', 'original-request': answer.requestId } : {}),
  });
  response.end(answer.body);
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
