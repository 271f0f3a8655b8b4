import type { Stripe } from 'stripe';
import { INSTRUMENTS, type Instrument } from '../payments/instruments.ts';
import { type Html, html } from './html.ts';
import { amountText } from './layout.ts';

/** The page on which a buyer chooses how to pay. */
export function checkoutPage(
  session: Stripe.Checkout.Session,
  lines: readonly Stripe.LineItem[],
  problem: string | undefined,
): Html {
  const currency = session.currency ?? 'usd';
  const choices = Object.entries(INSTRUMENTS).filter(([, { type }]) => session.payment_method_types.includes(type));
  return html`<h1>Amount to pay</h1>
<p class="amount">${amountText(session.amount_total ?? 0, currency)}</p>
<table>
${lines.map((line) => html`<tr><th scope="row">${line.description ?? ''}</th><td>${amountText(line.amount_total, currency)}</td></tr>`)}
</table>
${problem === undefined ? '' : html`<p class="error" role="alert">${problem}</p>`}
<form method="post" action="${session.url ?? ''}">
<fieldset>
<legend>Choose what happens</legend>
${choices.map(([name, instrument], index) => choice(name, instrument, index === 0))}
</fieldset>
<button type="submit">Pay</button>
</form>
${session.cancel_url === null ? '' : html`<a class="back" href="${session.cancel_url}">Go back without paying</a>`}`;
}

function choice(name: string, { label, type, last4 }: Instrument, isFirst: boolean): Html {
  const number = `${type === 'card' ? 'Card' : 'Account'} ending in ${last4}`;
  const checked = isFirst ? html` checked` : '';
  return html`<label class="choice"><input type="radio" name="outcome" value="${name}"${checked}><span>${label} <small>${number}</small></span></label>
`;
}

/** The page with which a bank asks the owner of a card. */
export function challengePage({ amount, currency }: Stripe.PaymentIntent): Html {
  return html`<h1>Your bank asks: do you approve this payment?</h1>
<p class="amount">${amountText(amount, currency)}</p>
<form method="post">
<button type="submit" name="answer" value="approve">Approve</button>
<button type="submit" name="answer" value="fail" class="second">Fail</button>
</form>`;
}

/** The page of a session that is over. */
export function closedPage(isPaid: boolean, url: string | null): Html {
  return html`<h1>${isPaid ? 'This checkout is complete.' : 'This checkout has expired.'}</h1>
${url === null ? '' : html`<p><a class="back" href="${url}">Go back</a></p>`}`;
}

export function receiptPage({ id, amount_captured, currency, created, description }: Stripe.Charge): Html {
  return html`<h1>Receipt of a simulated payment</h1>
<p class="amount">${amountText(amount_captured, currency)}</p>
<table>
<tr><th scope="row">Date</th><td>${new Date(created * 1_000).toISOString().slice(0, 10)}</td></tr>
<tr><th scope="row">What for</th><td>${description ?? ''}</td></tr>
<tr><th scope="row">Payment</th><td>${id}</td></tr>
</table>`;
}
