import { Stripe } from 'stripe';
import type { Clock } from '../state/clock.ts';

/** Waits before the next attempts, in milliseconds; no attempt follows the last. */
const RETRY_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 43_200_000];
/** Maximum number of events that wait to be sent or to be delivered by a test. */
const MAX_WAITING = 10_000;
/** Maximum number of deliveries at once. */
const MAX_SENDING = 4;
/** How long a receiver may take to answer, in real time. */
const TIMEOUT_MS = 20_000;
/** How much of an answer is kept. */
const MAX_ANSWER = 10_000;

/** An attempt to deliver an event. */
export interface Delivery {
  event: string;
  type: string;
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Status of the receiver's answer; 0 if there was none. */
  status: number;
  answer: string;
}

export interface DeliverOptions {
  /** Time of the signature, in seconds. Default: the time of the clock. */
  timestamp?: number | undefined;
  /** Signs with this. Default: the secret of the webhook. */
  secret?: string | undefined;
}

/** Where events are sent. */
export interface Webhook {
  url: string;
  /** Signs them. */
  secret: string;
  /** The types that are sent. Default: all. */
  events?: readonly string[] | undefined;
}

interface Waiting {
  event: Stripe.Event;
  attempt: number;
}

/** Sends events to the webhook, several at once, as Stripe does, and again later when the receiver refuses. */
export class Outbox {
  readonly #clock: Clock;
  readonly #webhook: Webhook | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #deliveries: Delivery[] = [];
  #waiting: Waiting[] = [];
  #sending = 0;
  #isHeld = false;
  #isStopped = false;
  #onIdle: (() => void)[] = [];

  constructor(clock: Clock, webhook: Webhook | undefined, onError: (error: unknown) => void) {
    this.#clock = clock;
    this.#webhook = webhook;
    this.#onError = onError;
  }

  add(event: Stripe.Event): void {
    if (this.#webhook === undefined || this.#webhook.events?.includes(event.type) === false) return;
    event.pending_webhooks = 1;
    this.#enqueue({ event, attempt: 1 });
  }

  /** From now on events wait for `deliver`. */
  hold(): void {
    this.#isHeld = true;
    this.#wake();
  }

  /** Sends what waits, and from now on every event at once. */
  resume(): void {
    this.#isHeld = false;
    this.#send();
  }

  /** What waits, oldest first. */
  get waiting(): readonly Stripe.Event[] {
    return this.#waiting.map(({ event }) => event);
  }

  /** Forgets an event that waits: it never arrives. */
  drop(id: string): void {
    this.#waiting = this.#waiting.filter(({ event }) => event.id !== id);
  }

  /** All attempts so far, oldest first. */
  get deliveries(): readonly Delivery[] {
    return this.#deliveries;
  }

  /** Delivers an event now, whether it waits or was delivered before. */
  async deliver(event: Stripe.Event, options: DeliverOptions = {}): Promise<Delivery> {
    const waiting = this.#waiting.find((one) => one.event.id === event.id);
    this.drop(event.id);
    const delivery = await this.#post(event, waiting?.attempt ?? 1, options);
    if (isAccepted(delivery)) event.pending_webhooks = 0;
    return delivery;
  }

  /** Resolves once nothing is being sent and nothing waits to be. */
  async idle(): Promise<void> {
    while (this.#sending > 0 || (this.#waiting.length > 0 && !this.#isHeld && !this.#isStopped)) {
      await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    }
  }

  /** Sends nothing more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#waiting = [];
    await this.idle();
  }

  #enqueue(one: Waiting): void {
    if (this.#isStopped) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#onError(new Error(`more than ${MAX_WAITING} events wait for the webhook`));
      this.#waiting.shift();
    }
    this.#waiting.push(one);
    // After what caused it: several events of one cause are known before the first is sent.
    setImmediate(() => this.#send());
  }

  #send(): void {
    while (!this.#isHeld && !this.#isStopped && this.#sending < MAX_SENDING) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#sending += 1;
      this.#attempt(next)
        .catch(this.#onError)
        .finally(() => {
          this.#sending -= 1;
          this.#send();
          this.#wake();
        });
    }
  }

  #wake(): void {
    const waiters = this.#onIdle;
    this.#onIdle = [];
    for (const resolve of waiters) resolve();
  }

  async #attempt({ event, attempt }: Waiting): Promise<void> {
    const delivery = await this.#post(event, attempt, {});
    if (isAccepted(delivery)) {
      event.pending_webhooks = 0;
      return;
    }
    const wait = RETRY_MS[attempt - 1];
    if (wait !== undefined) this.#clock.after(wait, () => this.#enqueue({ event, attempt: attempt + 1 }));
  }

  async #post(event: Stripe.Event, attempt: number, options: DeliverOptions): Promise<Delivery> {
    const webhook = this.#webhook;
    if (webhook === undefined) throw new Error('the simulator was started without a webhook');
    const payload = JSON.stringify(event, null, 2);
    const signature = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: options.secret ?? webhook.secret,
      timestamp: options.timestamp ?? Math.floor(this.#clock.now() / 1_000),
    });
    const delivery: Delivery = { event: event.id, type: event.type, attempt, status: 0, answer: '' };
    this.#deliveries.push(delivery);
    if (this.#deliveries.length > MAX_WAITING) this.#deliveries.shift();
    try {
      const response = await fetch(webhook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body: payload,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      delivery.answer = (await response.text()).slice(0, MAX_ANSWER);
      delivery.status = response.status;
    } catch (error) {
      // A receiver that cannot be reached is one of the things that are tested: it is recorded and tried again.
      delivery.answer = error instanceof Error ? error.message : String(error);
    }
    return delivery;
  }
}

function isAccepted({ status }: Delivery): boolean {
  return status >= 200 && status < 300;
}
