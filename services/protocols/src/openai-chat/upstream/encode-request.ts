import { effortOf } from '../../canonical/effort.ts';
import { withJsonInstruction } from '../../canonical/json-instruction.ts';
import type { CanonicalRequest, Effort, FieldName, ResponseFormat } from '../../canonical/request.ts';
import { encodeJsonSchemaFormat } from '../../canonical/strict-schema.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { EncodeTarget } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { mapInStages, type Stages } from '../../lists/stages.ts';
import { adjusted, warnOfAdjustments } from '../../request/adjustment.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { rejectUnsupported, withoutUnsupported } from '../../request/unsupported-fields.ts';
import { adjustmentsOf, DEFAULT_PARAMETERS } from '../shared/adjust.ts';
import { concernsMessages, fitMessages } from '../shared/fit-messages.ts';
import { encodeToolChoice } from '../shared/tool-choice.ts';
import { encodeTool } from '../shared/tools.ts';
import { encodeMessages } from './encode-messages.ts';

const RETENTIONS: readonly string[] = ['in_memory', '24h'];

/** Writes a request for an upstream. A stream always asks for the usage at its end. */
export function* encodeRequest(
  request: CanonicalRequest,
  target: EncodeTarget,
  diagnostics: Diagnostics,
): Stages<JsonRecord> {
  const parameters = { ...DEFAULT_PARAMETERS, ...target.parameters };
  const { messages: turns } = yield* withJsonInstruction(request, diagnostics, parameters.jsonSchema);
  const encoded = yield* encodeMessages(turns, parameters, diagnostics);
  const messages = fittedMessages(encoded, parameters, diagnostics);
  const tools = yield* mapInStages(request.tools, (tool, i) => {
    diagnostics.placed(`tools[${i}]`, tool.at);
    return encodeTool(tool, diagnostics);
  });
  const writer = new FieldWriter(request, diagnostics);
  const fields = { ...(tools.length > 0 && { tools }), ...writer.write(target.outputTokens) };
  const adjustments = adjustmentsOf(fields, parameters, request.reasoning?.budgetTokens);
  warnOfAdjustments(adjustments, diagnostics);
  const body = {
    model: target.upstreamModel,
    messages,
    ...adjusted(fields, adjustments),
    ...(target.isStream && { stream: true, ...streamOptions(parameters) }),
  };
  rejectUnsupported(fields, parameters, diagnostics);
  return withoutUnsupported(body, parameters, diagnostics);
}

function streamOptions({ unsupported }: ModelParameters): JsonRecord {
  return unsupported?.includes('stream_options') === true ? {} : { stream_options: { include_usage: true } };
}

function fittedMessages(
  messages: readonly JsonRecord[],
  parameters: ModelParameters,
  diagnostics: Diagnostics,
): readonly JsonRecord[] {
  if (!concernsMessages(parameters)) return messages;
  const fitted = fitMessages(messages, parameters);
  if (fitted.warnings.length > 0) {
    const places = diagnostics.places();
    for (const { index, message } of fitted.warnings) diagnostics.warn(places.get(`messages[${index}]`), message);
  }
  return fitted.messages.map(({ message }) => message);
}

class FieldWriter {
  readonly #request: CanonicalRequest;
  readonly #diagnostics: Diagnostics;
  readonly #body: Record<string, unknown> = {};

  constructor(request: CanonicalRequest, diagnostics: Diagnostics) {
    this.#request = request;
    this.#diagnostics = diagnostics;
  }

  write(outputTokens: number | undefined): JsonRecord {
    const request = this.#request;
    this.#put('max_completion_tokens', outputTokens ?? request.maxOutputTokens, 'maxOutputTokens');
    this.#put('temperature', request.temperature, 'temperature');
    this.#put('top_p', request.topP, 'topP');
    this.#put('seed', request.seed, 'seed');
    this.#put('presence_penalty', request.presencePenalty, 'presencePenalty');
    this.#put('frequency_penalty', request.frequencyPenalty, 'frequencyPenalty');
    this.#put('logit_bias', request.logitBias, 'logitBias');
    this.#put('n', request.choices, 'choices');
    this.#put('verbosity', request.verbosity, 'verbosity');
    this.#put('prompt_cache_key', request.cacheKey, 'cacheKey');
    if (request.responseFormat !== undefined) {
      this.#put('response_format', this.#formatOf(request.responseFormat), 'responseFormat');
    }
    if (request.logprobs !== undefined) {
      this.#put('logprobs', true, 'logprobs');
      this.#put('top_logprobs', request.logprobs.top, 'logprobs');
    }
    this.#writeTools();
    this.#put('stop', request.stop, 'stop');
    this.#put('reasoning_effort', this.#effort(), 'reasoning');
    this.#writeLimited();
    this.#leaveOut();
    return this.#body;
  }

  #put(name: string, value: unknown, field: FieldName): void {
    if (value === undefined) return;
    this.#body[name] = value;
    this.#diagnostics.placed(name, this.#request.names[field]);
  }

  #at(field: FieldName): string | undefined {
    return this.#request.names[field];
  }

  /** Without declared tools, OpenAI rejects every field about tools. */
  #writeTools(): void {
    const { tools, toolChoice, parallelToolCalls } = this.#request;
    if (tools.length > 0) {
      if (toolChoice !== undefined) this.#put('tool_choice', encodeToolChoice(toolChoice, tools), 'toolChoice');
      this.#put('parallel_tool_calls', parallelToolCalls, 'parallelToolCalls');
    } else if (toolChoice !== undefined && toolChoice.type !== 'auto' && toolChoice.type !== 'none') {
      this.#diagnostics.reject(this.#at('toolChoice'), 'requires a tool call, but no tools are declared');
    }
  }

  #effort(): Effort | undefined {
    const { reasoning } = this.#request;
    if (reasoning === undefined) return undefined;
    const { effort, budgetTokens, show } = reasoning;
    if (show !== undefined && show !== 'none') {
      this.#diagnostics.warn(this.#at('reasoning'), "this model's provider decides how much reasoning is returned");
    }
    return effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
  }

  #writeLimited(): void {
    const { userId, cacheRetention } = this.#request;
    this.#put('user', userId, 'userId');
    if (cacheRetention !== undefined && !RETENTIONS.includes(cacheRetention)) {
      this.#warn('cacheRetention', "not known to this model's provider");
    } else this.#put('prompt_cache_retention', cacheRetention, 'cacheRetention');
  }

  /** OpenAI caches prompt prefixes without being asked. */
  #leaveOut(): void {
    const { topK, metadata, truncation, cache } = this.#request;
    if (topK !== undefined) this.#warn('topK', "not passed on to this model's provider");
    if (metadata !== undefined) this.#warn('metadata', "not passed on to this model's provider");
    if (truncation === 'auto') this.#warn('truncation', "this model's provider does not truncate conversations");
    if (cache?.ttl === '1h') this.#warn('cache', "the lifetime is not passed on to this model's provider");
  }

  #warn(field: FieldName, message: string): void {
    this.#diagnostics.warn(this.#at(field), message);
  }
  #formatOf(format: ResponseFormat): JsonRecord {
    switch (format.type) {
      case 'text':
        return { type: 'text' };
      case 'json':
        return { type: 'json_object' };
      case 'json-schema': {
        const json_schema = encodeJsonSchemaFormat(format, this.#at('responseFormat'), this.#diagnostics);
        return { type: 'json_schema', json_schema };
      }
      default:
        return format satisfies never;
    }
  }
}
