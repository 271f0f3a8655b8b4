import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Stripe } from 'stripe';
import { readBody } from '../body.ts';
import type { Dependencies } from '../dependencies.ts';
import { answerChallenge, pay, returnUrlOf, type Step } from '../payments/checkout.ts';
import { isInstrument } from '../payments/instruments.ts';
import { authenticate } from '../payments/intents.ts';
import { sessionOf } from '../payments/session-state.ts';
import type { World } from '../state/world.ts';
import { challengePage, checkoutPage, closedPage, receiptPage } from './content.ts';
import { html } from './html.ts';
import { type Page, pageOf, redirectTo } from './layout.ts';

const MAX_BODY_BYTES = 16 * 1024;

interface Visit {
  world: World;
  /** The fields of a sent form; undefined when the page is only looked at. */
  form: URLSearchParams | undefined;
}

/** Serves the pages for buyers. */
export async function handlePage(
  { world }: Dependencies,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const body = await readBody(request, MAX_BODY_BYTES);
  const form = request.method === 'POST' ? new URLSearchParams(body?.toString('utf8')) : undefined;
  const isServed = body !== undefined && (form !== undefined || request.method === 'GET');
  const page = isServed ? find({ world, form }, path) : notFound(body === undefined ? 413 : 405);
  response.writeHead(page.status, page.headers);
  response.end(page.body);
}

function find(visit: Visit, path: string): Page {
  const { world, form } = visit;
  const [, page = '', id = ''] = /^\/(c\/pay|c\/authenticate|receipts)\/([^/]+)$/.exec(path) ?? [];
  const session = world.sessions.get(id);
  const intent = world.paymentIntents.get(id);
  const charge = world.charges.get(id);
  if (page === 'c/pay' && session !== undefined) return showCheckout(visit, session);
  if (page === 'c/authenticate' && intent !== undefined) return showChallenge(visit, intent);
  if (page === 'receipts' && charge !== undefined && form === undefined) {
    return pageOf(200, 'Receipt', receiptPage(charge));
  }
  return notFound(404);
}

function showCheckout(visit: Visit, session: Stripe.Checkout.Session): Page {
  const { world, form } = visit;
  if (session.status !== 'open') return showClosed(session);
  const outcome = form?.get('outcome') ?? undefined;
  if (form === undefined) return showChoices(visit, session, undefined);
  if (outcome === undefined || !isInstrument(outcome)) {
    return showChoices(visit, session, 'Choose how to pay.');
  }
  return follow(visit, session, pay(world, session, outcome));
}

function showChallenge(visit: Visit, intent: Stripe.PaymentIntent): Page {
  const { world, form } = visit;
  const session = sessionOf(world, intent);
  const returnUrl = intent.next_action?.redirect_to_url?.return_url ?? null;
  if (intent.status !== 'requires_action') {
    if (session !== undefined && session.status !== 'open') return showClosed(session);
    return pageOf(409, 'Nothing to approve', html`<h1>There is nothing to approve.</h1>`);
  }
  const answer = form?.get('answer');
  if (answer !== 'approve' && answer !== 'fail') {
    const targets = [returnUrl, session?.success_url ?? null];
    return pageOf(200, '3-D Secure', challengePage(intent), targets);
  }
  if (session !== undefined) {
    return follow(visit, session, answerChallenge(world, session, intent, answer === 'approve'));
  }
  authenticate(world, intent, answer === 'approve');
  if (returnUrl === null) return pageOf(200, 'Done', html`<h1>You can close this page.</h1>`);
  return redirectTo(returnUrl);
}

function follow(visit: Visit, session: Stripe.Checkout.Session, step: Step): Page {
  switch (step.kind) {
    case 'return':
    case 'authenticate':
      return redirectTo(step.url);
    case 'declined':
      return showChoices(visit, session, step.message);
    default:
      return step satisfies never;
  }
}

function showChoices({ world }: Visit, session: Stripe.Checkout.Session, problem: string | undefined): Page {
  const lines = world.sessionDetails.get(session.id)?.lineItems ?? [];
  const content = checkoutPage(session, lines, problem);
  return pageOf(200, 'Simulated checkout', content, [session.success_url, `${world.origin}/`]);
}

function showClosed(session: Stripe.Checkout.Session): Page {
  const isPaid = session.status === 'complete';
  const url = isPaid ? returnUrlOf(session) : session.cancel_url;
  return pageOf(200, 'Simulated checkout', closedPage(isPaid, url));
}

function notFound(status: number): Page {
  return pageOf(status, 'Not found', html`<h1>There is no such page.</h1>`);
}
