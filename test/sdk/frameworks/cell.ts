import type { CallRecord, Recorder } from '@tollgate/simulator/exchange/recorder';
import { expect } from 'vitest';
import { READERS, type Received } from '../received/index.ts';
import type { ProtocolName } from '../scenario.ts';
import { fragileModelOn, modelOn } from '../support/catalogue.ts';
import type { SdkGateway } from '../support/gateway.ts';
import { at } from '../support/json.ts';
import type { CellExpectation, Mode } from './cells.ts';
import { CLIENTS, type FrameworkClient } from './clients.ts';
import type { FrameworkDriver } from './driver-process.ts';
import type { Program, ProgramResult } from './program.ts';
import { type Exchange, Tap } from './tap.ts';

export interface CellFacts {
  client: FrameworkClient;
  upstream: ProtocolName;
  mode: Mode;
  expected: CellExpectation;
  driver: FrameworkDriver;
  gateway: SdkGateway;
  recorder: Recorder;
}

export type ProgramFields = Omit<Program, 'way' | 'baseUrl' | 'key' | 'model' | 'stream'>;

/** One program of one client with a model of one upstream, and what the gateway and the provider saw of it. */
export class FrameworkCell {
  readonly facts: CellFacts;
  #exchanges: readonly Exchange[] = [];

  constructor(facts: CellFacts) {
    this.facts = facts;
  }

  get upstream(): ProtocolName {
    return this.facts.upstream;
  }

  /** The client loses something on the way, as the table says; once it does not, the table is out of date. */
  get isLost(): boolean {
    return this.facts.expected.kind === 'lost';
  }

  /** Runs a program; it must end without an error. */
  async complete(fields: ProgramFields): Promise<ProgramResult> {
    const result = await this.run(fields);
    if (result.error !== null) throw new Error(`the program failed: ${JSON.stringify(result.error)}`);
    return result;
  }

  async run(fields: ProgramFields, { model = modelOn(this.upstream), key = this.facts.gateway.account.key } = {}) {
    const { client, driver, gateway, mode } = this.facts;
    const way = client.id.slice(client.framework.length + 1);
    const tap = await Tap.open(gateway.baseUrl);
    try {
      return await driver.run({ way, baseUrl: tap.baseUrl, key, model, stream: mode === 'stream', ...fields });
    } finally {
      tap.close();
      this.#exchanges = tap.exchanges;
    }
  }

  /** A model that may fail without failing the model of other cells. */
  get fragileModel(): string {
    return fragileModelOn(this.upstream, CLIENTS.indexOf(this.facts.client));
  }

  /** All requests of the program, retries included. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** The calls that the provider received for the program, in order. */
  get calls(): CallRecord[] {
    return this.#exchanges.flatMap(({ headers }) =>
      this.facts.recorder.list(headers['x-trace-id']?.replaceAll('-', '') ?? ''),
    );
  }

  /** The bodies that the provider received, in order. */
  get bodies(): unknown[] {
    for (const call of this.calls) expect(call.protocol).toBe(this.upstream);
    return this.calls.map((call) => JSON.parse(call.body ?? 'null'));
  }

  /** What the provider received with the last call. */
  get received(): Received {
    return READERS[this.upstream](this.bodies.at(-1));
  }

  /** The billing record of the last request. */
  async record(): Promise<unknown> {
    const id = this.#exchanges.at(-1)?.headers['x-request-id'] ?? '';
    await expect
      .poll(async () => at((await this.facts.gateway.record(id)).json, 'status'), { timeout: 10_000 })
      .not.toBeOneOf([undefined, 'running']);
    return (await this.facts.gateway.record(id)).json;
  }
}
