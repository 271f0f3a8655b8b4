import { newId } from '@tollgate/common/ids';
import type { ProviderCheck, TestProviderResponse } from '@tollgate/proto/router';
import { type Usage, usageOf } from '@tollgate/protocols/canonical/usage';
import { priceOfRequest, priceUsage } from '../pricing/request-price.ts';
import {
  type Answered,
  callOf,
  checkCache,
  checkCall,
  checkError,
  checkJson,
  checkReasoning,
  checkRefusedTools,
  checkText,
  checkUsage,
  failure,
  inputTokens,
  outputTokens,
  skipped,
  type Verdict,
} from './check.ts';
import { type ProbeDependencies, type ProbeRequest, type ProbeResult, type ProbeTarget, probe } from './probe.ts';
import { JSON_FIELD, ProbeRequests, TOOL_INPUT, TOOL_NAME, withoutConversation } from './requests.ts';

export interface ProviderTestOptions {
  /** Whether to check what not every model can do, too. */
  all: boolean;
  /** The time of all requests together. */
  timeoutMs: number;
  ingressName: string;
}

/** Tests a deployment with a few short requests, one after the other. */
export async function testProvider(
  deps: ProbeDependencies,
  target: ProbeTarget,
  { all, timeoutMs, ingressName }: ProviderTestOptions,
): Promise<TestProviderResponse> {
  const run = new ProviderTestRun(deps, target, timeoutMs);
  if (await run.basics()) {
    await run.tools();
    await run.error();
    if (all) await run.extras();
  }
  const { deployment } = target.route;
  return {
    providerId: deployment.providerId,
    modelId: target.entry.model.modelId,
    deploymentId: deployment.deploymentId,
    upstreamModel: deployment.upstreamModel,
    ingressName,
    ...run.result(),
  };
}

const NO_TIME = 'there was no time left';

class ProviderTestRun {
  readonly #deps: ProbeDependencies;
  readonly #target: ProbeTarget;
  readonly #requests: ProbeRequests;
  readonly #startedAtMs = Date.now();
  readonly #endsAt: number;
  readonly #checks: ProviderCheck[] = [];
  #sent = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #costNanos = 0n;

  constructor(deps: ProbeDependencies, target: ProbeTarget, timeoutMs: number) {
    this.#deps = deps;
    this.#target = target;
    this.#requests = new ProbeRequests(target.entry);
    this.#endsAt = performance.now() + timeoutMs;
  }

  /** Whether the provider answers at all, so that further requests make sense. */
  async basics(): Promise<boolean> {
    const whole = await this.#send({ request: this.#requests.plain(), isStream: false });
    this.#add('whole', true, whole, checkText);
    if (whole?.kind !== 'response') {
      for (const name of ['usage', 'stream', 'stream_usage', 'tools', 'tool_result', 'error']) {
        this.#add(name, true, undefined, checkText, 'the first request failed');
      }
      return false;
    }
    this.#add('usage', true, whole, (answered) => checkUsage(answered, false));
    const stream = await this.#send({ request: this.#requests.plain(), isStream: true });
    this.#add('stream', true, stream, checkText);
    if (stream?.kind === 'response') this.#add('stream_usage', true, stream, (answered) => checkUsage(answered, true));
    else this.#add('stream_usage', true, undefined, checkText, 'the stream failed');
    return true;
  }

  async tools(): Promise<void> {
    let called = await this.#send({ request: this.#requests.tools('auto'), isStream: true });
    if (called?.kind === 'response' && callOf(called) === undefined) {
      // Small models answer instead, and a forced call shows whether calls are read.
      called = await this.#send({ request: this.#requests.tools('required'), isStream: true });
    }
    if (called?.kind === 'failed') this.#push('tools', true, checkRefusedTools(called.failure), called);
    else this.#add('tools', true, called, (answered) => checkCall(answered, TOOL_NAME, TOOL_INPUT));
    const call = called?.kind === 'response' ? callOf(called) : undefined;
    if (called?.kind !== 'response' || call === undefined) {
      this.#add('tool_result', true, undefined, checkText, 'no tool was called');
      return;
    }
    const request = this.#requests.toolResult(called.response, call);
    this.#add('tool_result', true, await this.#send({ request, isStream: false }), checkText);
  }

  async error(): Promise<void> {
    const request = { request: this.#requests.plain(), isStream: false, spoil: withoutConversation };
    const result = await this.#send(request);
    if (result === undefined) this.#add('error', true, undefined, checkText);
    else this.#push('error', true, checkError(result), result);
  }

  async extras(): Promise<void> {
    const schema = await this.#send({ request: this.#requests.jsonSchema(), isStream: false });
    this.#add('json_schema', false, schema, (answered) => checkJson(answered, JSON_FIELD));
    const reasoning = await this.#send({ request: this.#requests.reasoning(), isStream: false });
    this.#add('reasoning', false, reasoning, checkReasoning);
    const cached = { request: this.#requests.cached(newId()), isStream: false };
    const first = await this.#send(cached);
    this.#add('cached_tokens', false, first?.kind === 'response' ? await this.#send(cached) : first, checkCache);
  }

  result() {
    return {
      checks: this.#checks,
      requests: this.#sent,
      inputTokens: BigInt(this.#inputTokens),
      outputTokens: BigInt(this.#outputTokens),
      costNanos: this.#costNanos,
    };
  }

  /** Undefined if there is no time left. */
  async #send(request: ProbeRequest): Promise<ProbeResult | undefined> {
    const timeLeft = this.#endsAt - performance.now();
    if (timeLeft <= 0) return undefined;
    const result = await probe(this.#deps, this.#target, request, timeLeft);
    this.#sent += 1;
    if (result.kind === 'response' && result.usage !== undefined) this.#count(result.usage);
    return result;
  }

  #count(usage: Usage): void {
    this.#inputTokens += inputTokens(usage);
    this.#outputTokens += outputTokens(usage);
    const price = priceOfRequest(this.#target.entry.prices, this.#startedAtMs, 0);
    this.#costNanos += priceUsage(price, usageOf(usage), 0).costNanos;
  }

  #add(
    name: string,
    required: boolean,
    result: ProbeResult | undefined,
    check: (answered: Answered) => Verdict,
    whySkipped = NO_TIME,
  ): void {
    if (result === undefined) this.#push(name, required, skipped(whySkipped), undefined);
    else this.#push(name, required, result.kind === 'response' ? check(result) : failure(result.failure), result);
  }

  #push(name: string, required: boolean, verdict: Verdict, result: ProbeResult | undefined): void {
    const httpStatus = result === undefined ? 0 : result.kind === 'response' ? 200 : result.failure.status;
    this.#checks.push({ name, required, ...verdict, httpStatus, durationMs: result?.durationMs ?? 0 });
  }
}
