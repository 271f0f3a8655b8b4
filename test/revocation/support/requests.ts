import { Agent, request } from 'node:http';
import type { Ask, KnownValue, Sent } from './book.ts';

const SILENCE_MS = 20_000;
/** Maximum length of a recorded error message. */
const MAX_TEXT = 2_000;

/** Sends requests to ingresses and records their outcomes. */
export class Requests {
  readonly sent: Sent[] = [];
  readonly #urls: ReadonlyMap<string, URL>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'fifo' });

  /** @param urls of the ingresses by their names */
  constructor(urls: ReadonlyMap<string, string>) {
    this.#urls = new Map([...urls].map(([name, url]) => [name, new URL(url)]));
  }

  get ingresses(): string[] {
    return [...this.#urls.keys()];
  }

  /** Sends one request and reads its response; never rejects. */
  async send(ingress: string, value: KnownValue, ask: Ask): Promise<Sent> {
    const beganAt = performance.now();
    const response = await this.#call(ingress, value.text, ask);
    const one = { value, ask, ingress, beganAt, endedAt: performance.now(), ...response };
    this.sent.push(one);
    return one;
  }

  close(): void {
    this.#agent.destroy();
  }

  #call(ingress: string, key: string, ask: Ask): Promise<Pick<Sent, 'status' | 'error'>> {
    const url = this.#urls.get(ingress);
    if (url === undefined) throw new Error(`there is no ${ingress}`);
    const { method, path, body } = wireOf(ask);
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    return new Promise((resolve) => {
      const broken = (message: string) => resolve({ status: undefined, error: { type: 'none', message } });
      const { hostname, port } = url;
      const outgoing = request({ hostname, port, path, method, headers, agent: this.#agent, timeout: SILENCE_MS });
      outgoing.on('timeout', () => outgoing.destroy(new Error('no response in time')));
      outgoing.on('error', (error) => broken(error.message));
      outgoing.on('response', (response) => {
        const status = response.statusCode;
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (status !== 200 && text.length < MAX_TEXT) text += chunk;
        });
        response.on('error', (error) => broken(error.message));
        response.on('end', () => resolve({ status, error: status === 200 ? undefined : readError(text) }));
      });
      outgoing.end(body);
    });
  }
}

function wireOf(ask: Ask): { method: string; path: string; body?: string } {
  switch (ask.kind) {
    case 'models':
      return { method: 'GET', path: '/v1/models' };
    case 'limits':
      return { method: 'GET', path: '/v1/billing/limits' };
    case 'chat': {
      const messages = [{ role: 'user', content: 'Say something.' }];
      const body = JSON.stringify({ model: ask.model, messages, max_tokens: 20, simulate: { output_tokens: 5 } });
      return { method: 'POST', path: '/v1/chat/completions', body };
    }
    default:
      return ask satisfies never;
  }
}

/** Type and message of an error body of a model endpoint, or of billing, which has a code instead of a type. */
function readError(text: string): { type: string; message: string } {
  const body = parse(text);
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  return { type: String(error['type'] ?? error['code'] ?? 'none'), message: String(error['message'] ?? text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
