import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { NO_USAGE, type Usage } from '../arithmetic.ts';

type Json = Record<string, unknown>;

/**
 * Parses an upstream's usage following docs/reference/protocols and the providers' documentation, independently of the
 * billing code. Undefined if unreadable: unknown, not zero.
 */
export function readReport(protocol: ProtocolName, report: unknown): Usage | undefined {
  if (!isObject(report)) return undefined;
  switch (protocol) {
    case 'openai-chat':
      return inclusive(report, 'prompt_tokens', 'completion_tokens');
    case 'openai-responses':
      return inclusive(report, 'input_tokens', 'output_tokens');
    case 'anthropic-messages':
      return ofMessages(report);
    case 'gemini':
      return ofGemini(report);
    default:
      return protocol satisfies never;
  }
}

/** OpenAI's totals include their details. */
function inclusive(report: Json, inputName: string, outputName: string): Usage | undefined {
  const input = count(report[inputName]);
  const output = count(report[outputName]);
  if (input === undefined || output === undefined) return undefined;
  const details = objectOr(report[`${inputName}_details`]);
  const cached = details['cached_tokens'] ?? report['prompt_cache_hit_tokens'] ?? report['cached_tokens'];
  const read = Math.min(count(inputName === 'prompt_tokens' ? cached : details['cached_tokens']) ?? 0, input);
  const written = Math.min(count(details['cache_write_tokens']) ?? 0, input - read);
  const thought = count(objectOr(report[`${outputName}_details`])['reasoning_tokens']) ?? 0;
  const isOnTop = thought > 0 && report['total_tokens'] === input + output + thought;
  const reasoning = isOnTop ? thought : Math.min(thought, output);
  return {
    ...NO_USAGE,
    input: input - read - written,
    cache_read: read,
    cache_write_5m: written,
    output: isOnTop ? output : output - reasoning,
    reasoning,
  };
}

/** Anthropic's input counts are disjoint; its output includes thoughts. */
function ofMessages(report: Json): Usage | undefined {
  const input = count(report['input_tokens']);
  const total = count(report['output_tokens']);
  const searches = objectOr(report['server_tool_use'])['web_search_requests'];
  const others = [report['cache_read_input_tokens'], report['cache_creation_input_tokens'], searches];
  if (input === undefined || total === undefined || !others.every(isCountOrAbsent)) return undefined;
  const reasoning = Math.min(count(objectOr(report['output_tokens_details'])['thinking_tokens']) ?? 0, total);
  const split = objectOr(report['cache_creation']);
  const short = count(split['ephemeral_5m_input_tokens']) ?? 0;
  const long = count(split['ephemeral_1h_input_tokens']) ?? 0;
  const rest = Math.max(0, (count(report['cache_creation_input_tokens']) ?? 0) - short - long);
  const isLong = long > 0 && short === 0;
  return {
    input,
    cache_read: count(report['cache_read_input_tokens']) ?? 0,
    cache_write_5m: short + (isLong ? 0 : rest),
    cache_write_1h: long + (isLong ? rest : 0),
    output: total - reasoning,
    reasoning,
    search: count(searches) ?? 0,
  };
}

/** Google's prompt includes cached tokens, but not tool prompts and thoughts; zero counts are omitted. */
function ofGemini(report: Json): Usage | undefined {
  const prompt = count(report['promptTokenCount']);
  const others = [report['candidatesTokenCount'], report['thoughtsTokenCount']];
  if (prompt === undefined || !others.every(isCountOrAbsent)) return undefined;
  const read = Math.min(count(report['cachedContentTokenCount']) ?? 0, prompt);
  const tools = count(report['toolUsePromptTokenCount']) ?? 0;
  const reasoning = count(report['thoughtsTokenCount']) ?? 0;
  const total = count(report['totalTokenCount']);
  const candidates = count(report['candidatesTokenCount']) ?? Math.max(0, (total ?? 0) - prompt - tools - reasoning);
  const isWithin = reasoning > 0 && reasoning <= candidates && total === prompt + tools + candidates;
  return {
    ...NO_USAGE,
    input: prompt - read + tools,
    cache_read: read,
    output: isWithin ? candidates - reasoning : candidates,
    reasoning,
  };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOr(value: unknown): Json {
  return isObject(value) ? value : {};
}

function isCountOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || count(value) !== undefined;
}

/** Some upstreams write counts as text. */
function count(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The sum of all figures of a report, in numbers and texts. */
export function figuresOf(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.max(0, value) : 0;
  if (typeof value === 'string') return /^\d+$/.test(value) ? Number(value) : 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + figuresOf(member), 0);
}
