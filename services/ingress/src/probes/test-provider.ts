import { newId } from '@tollgate/common/ids';
import type { TestProviderResponse } from '@tollgate/proto/router';
import type { ProviderAccess } from '../exchange/upstream/ask.ts';
import { isEmbeddingModel } from '../plan/routing/find-routes.ts';
import {
  callOf,
  checkCache,
  checkCall,
  checkError,
  checkJson,
  checkReasoning,
  checkRefusedTools,
  checkText,
  checkUsage,
} from './check.ts';
import { testEmbeddings } from './embeddings.ts';
import { type ProbeRequest, type ProbeResult, type ProbeTarget, probe } from './probe.ts';
import { JSON_FIELD, ProbeRequests, TOOL_INPUT, TOOL_NAME, withoutConversation } from './requests.ts';
import { TestRecord } from './test-record.ts';

export interface ProviderTestOptions {
  /** Whether to check what not every model can do, too. */
  all: boolean;
  /** The time of all requests together. */
  timeoutMs: number;
  ingressName: string;
}

/** Tests a deployment with a few short requests, one after the other. */
export async function testProvider(
  deps: ProviderAccess,
  target: ProbeTarget,
  { all, timeoutMs, ingressName }: ProviderTestOptions,
): Promise<TestProviderResponse> {
  const record = new TestRecord(target.entry, timeoutMs);
  if (isEmbeddingModel(target.entry)) await testEmbeddings(deps, target, record);
  else await new GenerationTest(deps, target, record).run(all);
  const { deployment } = target.route;
  return {
    providerId: deployment.providerId,
    modelId: target.entry.model.modelId,
    deploymentId: deployment.deploymentId,
    upstreamModel: deployment.upstreamModel,
    ingressName,
    ...record.result(),
  };
}

/** The requests to a model that generates text. */
class GenerationTest {
  readonly #deps: ProviderAccess;
  readonly #target: ProbeTarget;
  readonly #record: TestRecord;
  readonly #requests: ProbeRequests;

  constructor(deps: ProviderAccess, target: ProbeTarget, record: TestRecord) {
    this.#deps = deps;
    this.#target = target;
    this.#record = record;
    this.#requests = new ProbeRequests(target.entry);
  }

  async run(all: boolean): Promise<void> {
    if (!(await this.#basics())) return;
    await this.#tools();
    await this.#error();
    if (all) await this.#extras();
  }

  /** Whether the provider answers at all, so that further requests make sense. */
  async #basics(): Promise<boolean> {
    const whole = await this.#send({ request: this.#requests.plain(), isStream: false });
    this.#record.add('whole', true, whole, checkText);
    if (whole?.kind !== 'response') {
      for (const name of ['usage', 'stream', 'stream_usage', 'tools', 'tool_result', 'error']) {
        this.#record.skip(name, true, 'the first request failed');
      }
      return false;
    }
    this.#record.add('usage', true, whole, (answered) => checkUsage(answered, false, this.#promptTokens()));
    const stream = await this.#send({ request: this.#requests.plain(), isStream: true });
    this.#record.add('stream', true, stream, checkText);
    if (stream?.kind === 'response')
      this.#record.add('stream_usage', true, stream, (answered) => checkUsage(answered, true));
    else this.#record.skip('stream_usage', true, 'the stream failed');
    return true;
  }

  /** The most tokens that the plain request can have; undefined where the provider may add what it finds. */
  #promptTokens(): number | undefined {
    const ownSearches = this.#target.entry.model.webTools?.maxOwnSearches ?? 0;
    return ownSearches > 0 ? undefined : this.#requests.plainTokens();
  }

  async #tools(): Promise<void> {
    let called = await this.#send({ request: this.#requests.tools('auto'), isStream: true });
    if (called?.kind === 'response' && callOf(called) === undefined) {
      // Small models answer instead, and a forced call shows whether calls are read.
      called = await this.#send({ request: this.#requests.tools('required'), isStream: true });
    }
    if (called?.kind === 'failed') this.#record.push('tools', true, checkRefusedTools(called.failure), called);
    else this.#record.add('tools', true, called, (answered) => checkCall(answered, TOOL_NAME, TOOL_INPUT));
    const call = called?.kind === 'response' ? callOf(called) : undefined;
    if (called?.kind !== 'response' || call === undefined) {
      this.#record.skip('tool_result', true, 'no tool was called');
      return;
    }
    const request = this.#requests.toolResult(called.response, call);
    this.#record.add('tool_result', true, await this.#send({ request, isStream: false }), checkText);
  }

  async #error(): Promise<void> {
    const request = { request: this.#requests.plain(), isStream: false, spoil: withoutConversation };
    const result = await this.#send(request);
    if (result === undefined) this.#record.skip('error', true);
    else this.#record.push('error', true, checkError(result), result);
  }

  async #extras(): Promise<void> {
    const schema = await this.#send({ request: this.#requests.jsonSchema(), isStream: false });
    this.#record.add('json_schema', false, schema, (answered) => checkJson(answered, JSON_FIELD));
    const reasoning = await this.#send({ request: this.#requests.reasoning(), isStream: false });
    this.#record.add('reasoning', false, reasoning, checkReasoning);
    const cached = { request: this.#requests.cached(newId()), isStream: false };
    const first = await this.#send(cached);
    this.#record.add('cached_tokens', false, first?.kind === 'response' ? await this.#send(cached) : first, checkCache);
  }

  #send(request: ProbeRequest): Promise<ProbeResult | undefined> {
    return this.#record.send((timeoutMs) => probe(this.#deps, this.#target, request, timeoutMs));
  }
}
