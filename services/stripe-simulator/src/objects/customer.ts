import type { Stripe } from 'stripe';
import type { World } from '../state/world.ts';

export interface CustomerInput {
  address?: Stripe.Address | undefined;
  description?: string | undefined;
  email?: string | undefined;
  name?: string | undefined;
  phone?: string | undefined;
  metadata?: Record<string, string> | undefined;
}

export function createCustomer(world: World, input: CustomerInput): Stripe.Customer {
  return world.customers.add({
    id: world.ids.next('cus_', 14),
    object: 'customer',
    address: input.address ?? null,
    balance: 0,
    created: world.seconds(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: input.description ?? null,
    discount: null,
    email: input.email ?? null,
    invoice_prefix: world.ids.next('', 8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: input.metadata ?? {},
    name: input.name ?? null,
    next_invoice_sequence: 1,
    phone: input.phone ?? null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  });
}
