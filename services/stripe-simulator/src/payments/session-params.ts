import { z } from 'zod';
import { boolean, common, currency, integer, metadata, text } from '../api/params.ts';

const liability = z.strictObject({ type: z.enum(['self']) });

const lineItem = z.strictObject({
  metadata: metadata.optional(),
  price_data: z.strictObject({
    currency,
    product: text().optional(),
    product_data: z
      .strictObject({
        name: text(250),
        description: text().optional(),
        images: z.array(text()).max(8).optional(),
        metadata: metadata.optional(),
        tax_code: text().optional(),
      })
      .optional(),
    tax_behavior: z.enum(['exclusive', 'inclusive', 'unspecified']).optional(),
    unit_amount: integer,
  }),
  quantity: integer.refine((value) => value >= 1).default(1),
});

const invoiceData = z.strictObject({
  description: text().optional(),
  footer: text().optional(),
  metadata: metadata.optional(),
});

/** Parameters that open a checkout session: what Stripe takes and a prepaid top-up may need. */
export const sessionParams = z.strictObject({
  ...common,
  adaptive_pricing: z.strictObject({ enabled: boolean.optional() }).optional(),
  allow_promotion_codes: boolean.optional(),
  allowed_payment_method_types: z.array(text()).min(1).optional(),
  automatic_tax: z.strictObject({ enabled: boolean, liability: liability.optional() }).optional(),
  billing_address_collection: z.enum(['auto', 'required']).optional(),
  cancel_url: text().optional(),
  client_reference_id: text(200).optional(),
  currency: currency.optional(),
  customer: text().optional(),
  customer_creation: z.enum(['always', 'if_required']).optional(),
  customer_email: text(800).optional(),
  customer_update: z
    .strictObject({
      address: z.enum(['auto', 'never']).optional(),
      name: z.enum(['auto', 'never']).optional(),
      shipping: z.enum(['auto', 'never']).optional(),
    })
    .optional(),
  expires_at: integer.optional(),
  invoice_creation: z.strictObject({ enabled: boolean, invoice_data: invoiceData.optional() }).optional(),
  line_items: z.array(lineItem).min(1).max(100),
  locale: text(10).optional(),
  metadata: metadata.optional(),
  mode: z.enum(['payment']),
  payment_intent_data: z
    .strictObject({
      capture_method: z.enum(['automatic', 'automatic_async', 'manual']).optional(),
      description: text(1_000).optional(),
      metadata: metadata.optional(),
      receipt_email: text(512).optional(),
      setup_future_usage: z.enum(['off_session', 'on_session']).optional(),
      statement_descriptor: text(22).optional(),
      statement_descriptor_suffix: text(22).optional(),
    })
    .optional(),
  payment_method_configuration: text().optional(),
  saved_payment_method_options: z
    .strictObject({
      allow_redisplay_filters: z.array(z.enum(['always', 'limited', 'unspecified'])).optional(),
      payment_method_remove: z.enum(['disabled', 'enabled']).optional(),
      payment_method_save: z.enum(['disabled', 'enabled']).optional(),
    })
    .optional(),
  submit_type: z.enum(['auto', 'book', 'donate', 'pay']).optional(),
  success_url: text(),
  tax_id_collection: z
    .strictObject({ enabled: boolean, required: z.enum(['if_supported', 'never']).optional() })
    .optional(),
  ui_mode: z.enum(['hosted_page']).optional(),
});

export type SessionParams = z.output<typeof sessionParams>;
