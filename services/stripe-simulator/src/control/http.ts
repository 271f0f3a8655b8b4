import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { StripeFailure } from '../api/failure.ts';
import { readBody } from '../body.ts';
import { INSTRUMENTS, isInstrument } from '../payments/instruments.ts';
import type { Control } from './control.ts';

const MAX_BODY_BYTES = 64 * 1024;

const instrument = z
  .string()
  .refine(isInstrument, { error: `must be one of ${Object.keys(INSTRUMENTS).join(', ')}` })
  .default('card');
const id = z.string().min(1);
const fault = z.union([
  z.strictObject({
    kind: z.enum(['lose_request', 'lose_response', 'hold_request', 'hold_response', 'recorded_error']),
  }),
  z.strictObject({ kind: z.literal('status'), status: z.int().min(400).max(599) }),
]);
const target = z.strictObject({
  method: z.enum(['GET', 'POST']).optional(),
  path: z.string().optional(),
  times: z.int().min(1).optional(),
});
const none = z.strictObject({});

type Command = (control: Control, body: unknown) => unknown;

/** @param run what a command does with its checked body */
function command<T>(schema: z.ZodType<T>, run: (control: Control, body: T) => unknown): Command {
  return (control, body) => run(control, schema.parse(body));
}

/** Every command by its name in the path, with the methods of `Control` behind them. */
const COMMANDS: Readonly<Record<string, Command>> = {
  calls: command(none, (control) => control.calls()),
  objects: command(none, (control) => control.objects()),
  events: command(none, (control) => control.events()),
  waiting_events: command(none, (control) => control.waitingEvents()),
  deliveries: command(none, (control) => control.deliveries()),
  delivered: command(none, (control) => control.delivered()),
  advance: command(z.strictObject({ ms: z.int().min(0) }), (control, { ms }) => control.advance(ms)),
  set_tax_percent: command(z.strictObject({ percent: z.number().min(0).max(100) }), (control, { percent }) =>
    control.setTaxPercent(percent),
  ),
  fail: command(z.strictObject({ fault, target: target.optional() }), (control, body) =>
    control.fail(body.fault, body.target),
  ),
  clear_faults: command(none, (control) => control.clearFaults()),
  release_calls: command(none, (control) => control.releaseCalls()),
  hold_webhooks: command(none, (control) => control.holdWebhooks()),
  resume_webhooks: command(none, (control) => control.resumeWebhooks()),
  deliver: command(z.strictObject({ event: id, timestamp: z.int().optional() }), (control, { event, timestamp }) =>
    control.deliver(event, { timestamp }),
  ),
  drop: command(z.strictObject({ event: id }), (control, { event }) => control.drop(event)),
  pay: command(z.strictObject({ session: id, instrument }), (control, body) =>
    control.pay(body.session, body.instrument),
  ),
  authenticate: command(z.strictObject({ intent: id, approved: z.boolean() }), (control, { intent, approved }) =>
    control.authenticate(intent, approved),
  ),
  save_card: command(z.strictObject({ customer: id, instrument }), (control, body) =>
    control.saveCard(body.customer, body.instrument),
  ),
  set_reaction: command(
    z.strictObject({
      payment_method: id,
      reaction: z.union([
        z.enum(['succeed', 'authenticate']),
        z.strictObject({ decline: z.string(), advice: z.enum(['do_not_try_again', 'try_again_later']).optional() }),
      ]),
    }),
    (control, body) => control.setReaction(body.payment_method, body.reaction),
  ),
  settle: command(z.strictObject({ intent: id }), (control, { intent }) => control.settle(intent)),
  fail_settlement: command(z.strictObject({ intent: id }), (control, { intent }) => control.failSettlement(intent)),
  capture: command(z.strictObject({ intent: id, amount: z.int().optional() }), (control, { intent, amount }) =>
    control.capture(intent, amount),
  ),
  dispute: command(
    z.strictObject({
      charge: id,
      amount: z.int().min(1).optional(),
      reason: z.string().optional(),
      warning: z.boolean().optional(),
    }),
    (control, { charge, amount, reason, warning }) => control.dispute(charge, { amount, reason, isWarning: warning }),
  ),
  escalate_dispute: command(z.strictObject({ dispute: id }), (control, body) => control.escalateDispute(body.dispute)),
  close_dispute: command(
    z.strictObject({ dispute: id, end: z.enum(['won', 'lost', 'warning_closed']) }),
    (control, body) => control.closeDispute(body.dispute, body.end),
  ),
  fail_refund: command(z.strictObject({ refund: id, reason: z.string().optional() }), (control, { refund, reason }) =>
    control.failRefund(refund, reason),
  ),
  settle_refund: command(z.strictObject({ refund: id }), (control, { refund }) => control.settleRefund(refund)),
};

/** Runs a command of a test: POST with a JSON object, or GET for one without parameters. */
export async function handleControl(
  control: Control,
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
): Promise<void> {
  const body = await readBody(request, MAX_BODY_BYTES);
  const run = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (run === undefined || body === undefined) {
    return send(response, run === undefined ? 404 : 413, { error: { message: `No such command: ${name}` } });
  }
  try {
    const result = await run(control, body.length === 0 ? {} : JSON.parse(body.toString('utf8')));
    send(response, 200, result ?? {});
  } catch (error) {
    if (error instanceof StripeFailure) return send(response, error.status, error);
    if (error instanceof z.ZodError) return send(response, 400, { error: { message: z.prettifyError(error) } });
    if (error instanceof SyntaxError) return send(response, 400, { error: { message: 'The body is no JSON.' } });
    throw error;
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value, null, 2));
}
