import { z } from 'zod';
import { badParameter, missing } from '../api/failure.ts';
import { listOf } from '../api/list.ts';
import { common, created, paging, text } from '../api/params.ts';
import { type CallContext, idIn, type Route, route } from '../api/route.ts';
import { expire } from '../payments/checkout.ts';
import { openSession } from '../payments/open-session.ts';
import { sessionParams } from '../payments/session-params.ts';

const list = z.strictObject({
  ...paging,
  created,
  customer: text().optional(),
  payment_intent: text().optional(),
  status: z.enum(['complete', 'expired', 'open']).optional(),
});

export const SESSION_ROUTES: Route[] = [
  route('POST', '/v1/checkout/sessions', sessionParams, (params, { world }) => openSession(world, params)),
  route('GET', '/v1/checkout/sessions', list, (params, { world }) => {
    const { customer, payment_intent: intent, status } = params;
    return listOf(
      '/v1/checkout/sessions',
      world.sessions,
      params,
      (session) =>
        (customer === undefined || session.customer === customer) &&
        (intent === undefined || session.payment_intent === intent) &&
        (status === undefined || session.status === status),
    );
  }),
  route('GET', '/v1/checkout/sessions/:id', z.strictObject(common), (_, context) => find(context)),
  route('POST', '/v1/checkout/sessions/:id/expire', z.strictObject(common), (_, context) => {
    const session = find(context);
    if (session.status !== 'open') {
      throw badParameter(
        'session',
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status ?? ''}\`.`,
      );
    }
    expire(context.world, session);
    return session;
  }),
  route('GET', '/v1/checkout/sessions/:id/line_items', z.strictObject(paging), (_, context) => {
    const { id } = find(context);
    const data = context.world.sessionDetails.get(id)?.lineItems ?? [];
    return { object: 'list', data, has_more: false, url: `/v1/checkout/sessions/${id}/line_items` };
  }),
];

function find(context: CallContext) {
  const session = context.world.sessions.get(idIn(context));
  if (session === undefined) throw missing('checkout.session', idIn(context), 'session');
  return session;
}
