import type { Stripe } from 'stripe';
import { installationOf } from '../origin.ts';
import type { ListedObject, ListPage, ListWindow } from '../provider.ts';
import { idOf, readDispute, readRefund, readState } from './read-objects.ts';

const PAGE_SIZE = 100;

/** A page of what was created in a time, newest first. Stripe counts in seconds: windows include those they begin and end in. */
export async function listSince(stripe: Stripe, { kind, fromMs, endMs, afterId }: ListWindow): Promise<ListPage> {
  const params = {
    limit: PAGE_SIZE,
    created: { gte: Math.floor(fromMs / 1_000), lte: Math.ceil(endMs / 1_000) },
    ...(afterId === undefined ? {} : { starting_after: afterId }),
  };
  // The metadata of the payment tells which ones are of other installations.
  const expand = ['data.payment_intent'];
  switch (kind) {
    case 'payment':
      return pageOf(await stripe.paymentIntents.list(params), listedPayment);
    case 'refund':
      return pageOf(await stripe.refunds.list({ ...params, expand }), listedRefund);
    case 'dispute':
      return pageOf(await stripe.disputes.list({ ...params, expand }), listedDispute);
    default:
      return kind satisfies never;
  }
}

function pageOf<T extends { id: string }>(
  { data, has_more }: Stripe.ApiList<T>,
  read: (object: T) => ListedObject | undefined,
): ListPage {
  return { objects: data.flatMap((each) => read(each) ?? []), nextAfterId: has_more ? data.at(-1)?.id : undefined };
}

function listedPayment({ id, metadata, status }: Stripe.PaymentIntent): ListedObject {
  const what = { kind: 'payment' as const, state: readState(status) };
  return { id, providerPayment: id, installationId: installationOf(metadata), what };
}

function listedRefund(refund: Stripe.Refund): ListedObject | undefined {
  const of = ofPayment(refund.payment_intent);
  return of && { id: refund.id, ...of, what: { kind: 'refund', refund: readRefund(refund) } };
}

function listedDispute(dispute: Stripe.Dispute): ListedObject | undefined {
  const of = ofPayment(dispute.payment_intent);
  return of && { id: dispute.id, ...of, what: { kind: 'dispute', dispute: readDispute(dispute) } };
}

/** What was not paid by a payment intent is not ours. */
function ofPayment(intent: string | Stripe.PaymentIntent | null) {
  const providerPayment = idOf(intent);
  if (providerPayment === undefined) return undefined;
  const isWhole = typeof intent === 'object' && intent !== null;
  return { providerPayment, installationId: isWhole ? (installationOf(intent.metadata) ?? '') : undefined };
}
