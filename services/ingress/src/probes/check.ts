import { CheckOutcome, type ProviderCheck } from '@tollgate/proto/router';
import type { ToolCallPart } from '@tollgate/protocols/canonical/part';
import type { CanonicalResponse } from '@tollgate/protocols/canonical/response';
import { claimsNoOutput, inputTokensOf, type Usage } from '@tollgate/protocols/canonical/usage';
import type { Vector } from '@tollgate/protocols/embeddings/shared/vector';
import { isInputBeyond } from '../exchange/meter.ts';
import type { ProbeResponse } from './probe.ts';
import { type Failed, hintOf, type ProbeFailure } from './probe-failure.ts';

/** The result of a check, before it is known which request it belongs to. */
export type Verdict = Pick<ProviderCheck, 'outcome' | 'detail' | 'hint'>;

/** The response of a request that was answered. */
export type Answered = ProbeResponse;

export function holds(detail: string): Verdict {
  return { outcome: CheckOutcome.HOLDS, detail, hint: '' };
}

export function fails(detail: string, hint: string): Verdict {
  return { outcome: CheckOutcome.FAILS, detail, hint };
}

export function lacks(detail: string, hint: string): Verdict {
  return { outcome: CheckOutcome.LACKS, detail, hint };
}

export function skipped(detail: string): Verdict {
  return { outcome: CheckOutcome.SKIPPED, detail, hint: '' };
}

/** A request that has no response. */
export function failure(failed: ProbeFailure): Verdict {
  const { kind, status, message } = failed;
  const what = [status === 0 ? kind.replaceAll('_', ' ') : `status ${status}`, shortened(message)];
  return fails(what.filter((part) => part !== '').join(': '), hintOf(failed));
}

/** An error's text may be long. */
function shortened(message: string): string {
  return message.length > MAX_DETAIL ? `${message.slice(0, MAX_DETAIL)}…` : message;
}

const MAX_DETAIL = 400;

/** Whether there is text, or the reason why there is none. */
export function checkText({ response }: Answered): Verdict {
  const { parts, finish } = first(response);
  const length = parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
  if (length > 0) return holds(`${length} characters, finished with ${finish.raw || finish.reason}`);
  if (finish.reason === 'length') return holds('no text within the output limit, which it used to think');
  return fails(
    `no text, finished with ${finish.raw || finish.reason}`,
    'The response was read, but it has nothing in it. Check `protocol` of the entry, and the model at its provider.',
  );
}

/**
 * Whether tokens are reported, without which a bill is only an estimate.
 *
 * @param promptTokens the most tokens that the request can have; undefined if that is not known
 */
export function checkUsage({ usage, response }: Answered, isStream: boolean, promptTokens?: number): Verdict {
  if (usage === undefined) {
    return fails('no usage in the response', isStream ? `${NO_USAGE} ${STREAM_USAGE}` : NO_USAGE);
  }
  const { parts } = first(response);
  if (inputTokensOf(usage) === 0) return fails('the usage has no input tokens', NO_USAGE);
  if (claimsNoOutput(usage) && parts.length > 0) return fails('the usage has no output tokens', NO_USAGE);
  if (promptTokens !== undefined && isInputBeyond(usage, { maxInputTokens: promptTokens })) {
    return fails(`${inputTokensOf(usage)} input tokens for a prompt of at most ${promptTokens}`, OWN_SEARCHES);
  }
  return holds(describeUsage(usage));
}

const OWN_SEARCHES =
  'So much is not believed, and charges are estimated. If the provider searches by itself, set `web_tools: { max_own_searches }` of the model, with what each adds (`max_tokens_per_use`) and `search` of its price; else `tokens_per_request` to what it adds to every prompt.';
const NO_USAGE = 'Charges would be estimated from the text. Have the server report usage.';
const STREAM_USAGE =
  'Streams are asked for it with stream_options.include_usage; the server, or a proxy before it, ignores that.';

/** Whether there is a vector for each of the texts. */
export function checkVectors(vectors: readonly Vector[], texts: number): Verdict {
  const [first = []] = vectors;
  if (vectors.length !== texts) return fails(`${vectors.length} vectors for ${texts} texts`, NOT_EMBEDDINGS);
  if (vectors.some(({ length }) => length !== first.length)) {
    return fails(`vectors of ${vectors.map(({ length }) => length).join(' and ')} numbers`, NOT_EMBEDDINGS);
  }
  return holds(`${vectors.length} vectors of ${first.length} numbers`);
}

const NOT_EMBEDDINGS = 'Clients get vectors that do not belong to their texts. Check the server and the model.';

/** Whether the tokens of the texts are reported. */
export function checkEmbeddingsUsage(usage: Usage | undefined): Verdict {
  if (usage === undefined) return fails('no usage in the response', NO_USAGE);
  return holds(`${inputTokensOf(usage)} input tokens`);
}

/** All generated tokens. */
export function outputTokens(usage: Usage): number {
  return usage.output + usage.reasoning;
}

function describeUsage(usage: Usage): string {
  const cached = usage.cache_read === 0 ? '' : ` (${usage.cache_read} cached)`;
  const reasoning = usage.reasoning === 0 ? '' : ` (${usage.reasoning} reasoning)`;
  return `${inputTokensOf(usage)} input${cached}, ${outputTokens(usage)} output${reasoning} tokens`;
}

/** The call of a tool that the prompt asks for; undefined without one. */
export function callOf(answered: Answered): ToolCallPart | undefined {
  return first(answered.response).parts.find((part) => part.type === 'tool-call');
}

/** Whether the model called the tool with the arguments that the prompt names. */
export function checkCall(answered: Answered, name: string, expected: Readonly<Record<string, unknown>>): Verdict {
  const call = callOf(answered);
  if (call === undefined) {
    return lacks('the model answered without calling the tool', TOOLS);
  }
  if (call.name !== name) return fails(`it called ${shortened(call.name)} instead of ${name}`, PARSER);
  const given = parsed(call.input);
  const isExpected = Object.entries(expected).every(([key, value]) => String(given?.[key]) === String(value));
  if (given === undefined) return fails('the arguments of the call are not a JSON object', PARSER);
  return isExpected ? holds(`called ${name} with valid arguments`) : lacks('called it with other arguments', WEAK);
}

/** A request with a tool that was refused, while one without was answered: many models take no tools. */
export function checkRefusedTools(failed: ProbeFailure): Verdict {
  const refused = failure(failed);
  const isAboutTools = failed.kind === 'request_refused' && /tool|function/i.test(failed.message);
  return isAboutTools ? lacks(refused.detail, TOOLS) : refused;
}

const TOOLS =
  'Agents need a model that calls tools. Local servers need a template or parser for it, such as vLLM’s --enable-auto-tool-choice and --tool-call-parser, or llama.cpp’s --jinja.';
const PARSER = 'The server reads the calls of the model wrongly. Check its tool parser and chat template.';
const WEAK = 'The calls are read, but the model does not do what it is asked to.';

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the text is the JSON that a schema asks for. */
export function checkJson({ response }: Answered, field: string): Verdict {
  const text = first(response).parts.reduce((all, part) => (part.type === 'text' ? all + part.text : all), '');
  return parsed(text)?.[field] === undefined
    ? lacks(
        'the response does not match the schema',
        'Set `parameters: { json_schema: false }`: the model is instructed instead.',
      )
    : holds('the response matches the schema');
}

/** Whether thinking is returned or at least counted. */
export function checkReasoning({ response, usage }: Answered): Verdict {
  const { parts } = first(response);
  const isShown = parts.some((part) => part.type === 'reasoning' && part.text !== '');
  const tokens = usage?.reasoning ?? 0;
  if (!isShown && tokens === 0) {
    return lacks(
      'neither reasoning nor reasoning tokens',
      'Nothing to do for a model that does not think, or did not for this question.',
    );
  }
  return holds(`${isShown ? 'returned' : 'not returned'}, ${tokens === 0 ? 'not counted apart' : `${tokens} tokens`}`);
}

/** Whether a repeated prompt is read from the provider's cache, and reported so. */
export function checkCache({ usage }: Answered): Verdict {
  const tokens = usage?.cache_read ?? 0;
  return tokens > 0
    ? holds(`${tokens} of ${usage === undefined ? 0 : inputTokensOf(usage)} input tokens from the cache`)
    : lacks(
        'no cached tokens reported',
        'The provider does not cache, not for a prompt as short, or does not report it: then all input is billed at the full rate.',
      );
}

/** Whether an invalid request is rejected in a way that the gateway reports to its client. */
export function checkError(result: Failed | { kind: 'response' }): Verdict {
  if (result.kind === 'response') {
    return lacks(
      'an invalid request was answered',
      'The server does not check requests. Clients get no error for a wrong field.',
    );
  }
  const { kind, status, message } = result.failure;
  if (kind === 'request_refused' && message !== '') return holds(`status ${status}: ${shortened(message)}`);
  if (kind === 'request_refused') {
    return lacks(
      `status ${status} without a message`,
      'Clients get no reason. Check `protocol`: the error has another shape.',
    );
  }
  if (kind === 'server_error') {
    return lacks(
      `an invalid request is answered with status ${status}`,
      'Invalid requests of clients count as failures of the provider, and may pause its deployments.',
    );
  }
  return failure(result.failure);
}

function first({ choices: [choice] }: CanonicalResponse) {
  return choice ?? { parts: [], finish: { reason: 'other' as const, raw: '' } };
}
