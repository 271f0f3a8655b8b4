import type { Stripe } from 'stripe';
import type { Instrument } from '../payments/instruments.ts';
import type { World } from '../state/world.ts';

/** Routing number of Stripe's test bank. */
export const ROUTING_NUMBER = '110000000';

export const NO_ADDRESS: Stripe.Address = {
  city: null,
  country: null,
  line1: null,
  line2: null,
  postal_code: null,
  state: null,
};

/** Last month that a card is good for. */
export function expiryOf(world: World): { exp_month: number; exp_year: number } {
  return { exp_month: 12, exp_year: new Date(world.clock.now()).getUTCFullYear() + 4 };
}

export function createPaymentMethod(
  world: World,
  instrument: Instrument,
  owner: { email: string | null; name: string | null },
): Stripe.PaymentMethod {
  const { type, last4, present, absent } = instrument;
  const id = world.ids.next('pm_');
  world.reactions.add({ id, present, absent });
  return world.paymentMethods.add({
    id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: { address: { ...NO_ADDRESS }, ...owner, phone: null, tax_id: null },
    created: world.seconds(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    ...(type === 'card' ? { card: cardOf(world, instrument) } : { us_bank_account: bankAccountOf(instrument) }),
    type,
  });

  function cardOf(world: World, { brand }: Instrument): Stripe.PaymentMethod.Card {
    return {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand,
      ...expiryOf(world),
      fingerprint: fingerprintOf(instrument),
      funding: 'credit',
      generated_from: null,
      last4,
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    };
  }
}

function bankAccountOf({ brand, last4, ...instrument }: Instrument): Stripe.PaymentMethod.UsBankAccount {
  return {
    account_holder_type: 'individual',
    account_type: 'checking',
    bank_name: brand,
    financial_connections_account: null,
    fingerprint: fingerprintOf({ brand, last4, ...instrument }),
    last4,
    networks: { preferred: 'ach', supported: ['ach'] },
    routing_number: ROUTING_NUMBER,
    status_details: {},
  };
}

/** The same number has the same fingerprint. */
export function fingerprintOf({ brand, last4 }: Instrument): string {
  return Buffer.from(`${brand.slice(0, 8)}${last4}`)
    .toString('hex')
    .slice(0, 16)
    .padEnd(16, '0');
}
