import { CHARGE_ROUTES } from '../routes/charges.ts';
import { CUSTOMER_ROUTES } from '../routes/customers.ts';
import { EVENT_ROUTES } from '../routes/events.ts';
import { PAYMENT_INTENT_ROUTES } from '../routes/payment-intents.ts';
import { PAYMENT_METHOD_ROUTES } from '../routes/payment-methods.ts';
import { SESSION_ROUTES } from '../routes/sessions.ts';
import type { Route } from './route.ts';

/** All endpoints of the API. */
export const ROUTES: readonly Route[] = [
  ...CUSTOMER_ROUTES,
  ...PAYMENT_METHOD_ROUTES,
  ...SESSION_ROUTES,
  ...PAYMENT_INTENT_ROUTES,
  ...CHARGE_ROUTES,
  ...EVENT_ROUTES,
];
