import type { CallRecord, Recorder } from '@tollgate/simulator/exchange/recorder';
import { expect } from 'vitest';
import type { Mode } from '../expectations.ts';
import { READERS, type Received } from '../received/index.ts';
import type { Ask, Driver, ProtocolName, SdkResponse, Target } from '../scenario.ts';
import { FRAGILE_MODELS, fragileModelOn, modelOn } from './catalogue.ts';
import type { SdkGateway } from './gateway.ts';

/** One feature between one client and one upstream, buffered or streamed. */
export class Cell {
  readonly driver: Driver;
  readonly upstream: ProtocolName;
  readonly mode: Mode;
  readonly gateway: SdkGateway;
  readonly #recorder: Recorder;
  static #fragile = 0;

  constructor(given: {
    driver: Driver;
    upstream: ProtocolName;
    mode: Mode;
    gateway: SdkGateway;
    recorder: Recorder;
  }) {
    this.driver = given.driver;
    this.upstream = given.upstream;
    this.mode = given.mode;
    this.gateway = given.gateway;
    this.#recorder = given.recorder;
  }

  get client(): ProtocolName {
    return this.driver.protocol;
  }

  get target(): Target {
    return { baseUrl: this.gateway.baseUrl, key: this.gateway.account.key };
  }

  /** Calls the upstream's model, or the given one. */
  ask(fields: Omit<Ask, 'model' | 'stream'> & { model?: string }): Promise<SdkResponse> {
    return this.driver.ask(this.target, {
      model: modelOn(this.upstream),
      stream: this.mode === 'stream',
      ...fields,
    });
  }

  /** A model of the upstream that few other cells fail. */
  fragileModel(): string {
    if (Cell.#fragile >= FRAGILE_MODELS * 4) throw new Error('there are too few models for failing calls');
    Cell.#fragile += 1;
    return fragileModelOn(this.upstream, Cell.#fragile);
  }

  /** The calls that the provider received for a response. */
  calls(response: SdkResponse): CallRecord[] {
    const trace = response.headers['x-trace-id'];
    expect(trace, 'every response has a trace id').toMatch(/^[0-9a-f-]{36}$/);
    return this.#recorder.list(trace?.replaceAll('-', ''));
  }

  /** What the provider received. */
  received(response: SdkResponse): Received {
    const calls = this.calls(response);
    expect(calls.map((call) => call.protocol)).toEqual([this.upstream]);
    return READERS[this.upstream](JSON.parse(calls[0]?.body ?? 'null'));
  }

  /** The billing record of a response. */
  async record(response: SdkResponse): Promise<unknown> {
    const found = await this.gateway.record(response.headers['x-request-id'] ?? '');
    expect({ status: found.status, text: found.text }).toMatchObject({ status: 200 });
    return found.json;
  }
}
