import { z } from 'zod';
import { missing } from '../api/failure.ts';
import { listOf } from '../api/list.ts';
import { common, metadata, paging, text } from '../api/params.ts';
import { type CallContext, idIn, type Route, route } from '../api/route.ts';
import { createCustomer } from '../objects/customer.ts';
import { change, emit } from '../state/events.ts';

const address = z
  .strictObject({
    city: text().optional(),
    country: text(2).optional(),
    line1: text().optional(),
    line2: text().optional(),
    postal_code: text().optional(),
    state: text().optional(),
  })
  .transform((given) => ({
    city: given.city ?? null,
    country: given.country ?? null,
    line1: given.line1 ?? null,
    line2: given.line2 ?? null,
    postal_code: given.postal_code ?? null,
    state: given.state ?? null,
  }));

const customer = z.strictObject({
  ...common,
  address: address.optional(),
  description: text().optional(),
  email: text(512).optional(),
  metadata: metadata.optional(),
  name: text(256).optional(),
  phone: text(20).optional(),
});

const listMethods = z.strictObject({
  ...paging,
  allow_redisplay: z.enum(['always', 'limited', 'unspecified']).optional(),
  type: z.string().optional(),
});

export const CUSTOMER_ROUTES: Route[] = [
  route('POST', '/v1/customers', customer, ({ expand: _, ...input }, { world }) => {
    const created = createCustomer(world, input);
    emit(world, 'customer.created', created);
    return created;
  }),
  route('GET', '/v1/customers/:id', z.strictObject(common), (_, context) => find(context)),
  route('POST', '/v1/customers/:id', customer, ({ expand: _, ...input }, context) => {
    const found = find(context);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const merged = input.metadata === undefined ? {} : { metadata: { ...found.metadata, ...input.metadata } };
    const before = change(found, { ...given, ...merged });
    if (Object.keys(before).length > 0) emit(context.world, 'customer.updated', found, before);
    return found;
  }),
  route('GET', '/v1/customers/:id/payment_methods', listMethods, (params, context) => {
    const { id } = find(context);
    const { type, allow_redisplay } = params;
    return listOf(
      `/v1/customers/${id}/payment_methods`,
      context.world.paymentMethods,
      params,
      (method) =>
        method.customer === id &&
        (type === undefined || method.type === type) &&
        (allow_redisplay === undefined || method.allow_redisplay === allow_redisplay),
    );
  }),
  route('GET', '/v1/customers/:id/payment_methods/:id', z.strictObject(common), (_, context) => {
    const { id } = find(context);
    const method = context.world.paymentMethods.get(context.ids[1] ?? '');
    if (method?.customer !== id) throw missing('PaymentMethod', context.ids[1] ?? '', 'payment_method');
    return method;
  }),
];

function find(context: CallContext) {
  const found = context.world.customers.get(idIn(context));
  if (found === undefined) throw missing('customer', idIn(context));
  return found;
}
