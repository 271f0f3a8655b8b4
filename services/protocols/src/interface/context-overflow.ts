import type { UpstreamError } from './errors.ts';

/** A request that does not fit into the model's context window. Figures are undefined where the provider gives none. */
export interface ContextOverflow {
  readonly promptTokens: number | undefined;
  /** Set where the prompt fits, but not together with this many output tokens. */
  readonly outputTokens: number | undefined;
  readonly contextTokens: number | undefined;
}

/** Whether an upstream rejected a request because it is too long, and by how much. */
export function readContextOverflow({ message, code, type }: UpstreamError): ContextOverflow | undefined {
  for (const pattern of WORDINGS) {
    const found = pattern.exec(message);
    if (found !== null) return withFigures(found.groups ?? {});
  }
  return CODES.has(code) || CODES.has(type) ? withFigures({}) : undefined;
}

const CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  // Zhipu
  '1261',
]);

/**
 * How providers word it, the ones with more figures first. Groups: `prompt`, `output`, `total` and `context`, in tokens. A
 * request whose prompt alone is too long has no `output`.
 */
const WORDINGS: readonly RegExp[] = [
  // Anthropic. https://platform.claude.com/docs/en/build-with-claude/context-windows
  /input length and `max_tokens` exceed context limit: (?<prompt>\d+) \+ (?<output>\d+) > (?<context>\d+)/i,
  // Fireworks, then Anthropic
  /prompt is too long: (?<prompt>\d+), model maximum context length: (?<context>\d+)/i,
  /prompt is too long(?:: (?<prompt>\d+) tokens > (?<context>\d+) maximum)?/i,
  // Gemini. https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts collects many of the following.
  /input token count \(?(?<prompt>\d+)?\)? ?exceeds the maximum number of tokens allowed(?: \(?(?<context>\d+))?/i,
  // vLLM, several versions. https://github.com/vllm-project/vllm/issues/42474, https://github.com/vllm-project/vllm/issues/20409
  /maximum context length is (?<context>\d+) tokens\. +However, you requested (?<output>\d+) output tokens and your prompt contains (?:at least )?(?<prompt>\d+) input tokens/i,
  /is too large: (?<output>\d+)\. This model's maximum context length is (?<context>\d+) tokens and your request has (?<prompt>\d+) input tokens/i,
  /maximum context length is (?<context>\d+) tokens\. However, your request has (?<prompt>\d+) input tokens/i,
  // OpenAI before 2025, vLLM, DeepSeek; OpenRouter says "about", its endpoint and its kinds of input.
  // https://github.com/mckaywrigley/chatbot-ui/issues/102, https://github.com/OpenHands/OpenHands/issues/9937
  /maximum context length is (?<context>\d+) tokens[.,] however,? you requested (?:about )?(?<total>\d+) tokens(?: \((?<prompt>\d+) (?:in the messages|of text input|in your prompt)[^)\d]*(?:(?<output>\d+) (?:in|for) the (?:completion|output))?)?/i,
  // OpenAI. https://github.com/webtimemachine/wtm2/issues/579, https://github.com/archi-physics/archi/issues/497
  /maximum context length is (?<context>\d+) tokens\. However, your (?:messages|input) resulted in (?<prompt>\d+) tokens/i,
  /input tokens exceed the configured limit of (?<context>\d+) tokens\. Your messages resulted in (?<prompt>\d+) tokens/i,
  /maximum context length is (?<context>\d+) tokens/i,
  /exceeds the context window/i,
  // xAI
  /maximum prompt length is (?<context>\d+) but the request contains (?<prompt>\d+) tokens/i,
  // llama.cpp, LM Studio
  /request \((?<prompt>\d+) tokens\) exceeds the available context size \((?<context>\d+) tokens\)/i,
  /exceeds the available context size/i,
  /greater than the context length/i,
  /loaded with context length of only (?<context>\d+) tokens/i,
  // Mistral
  /prompt contains (?<prompt>\d+) tokens[^\d]*(?:\d+ draft tokens)?[^\d]*too large for model with (?<context>\d+) maximum context length/i,
  // SGLang, older vLLM
  /input \((?<prompt>\d+) tokens\) is longer than the model's context length \((?<context>\d+) tokens\)/i,
  /prompt \(length (?<prompt>\d+)\) is longer than the maximum model length of (?<context>\d+)/i,
  // Text Generation Inference, Together
  /`inputs` tokens \+ `max_new_tokens` must be <= (?<context>\d+)\. Given: (?<prompt>\d+) `inputs` tokens and (?<output>\d+) `max_new_tokens`/i,
  // The same by Together's documentation, with the status 403: https://docs.together.ai/docs/error-codes
  /input token count \+ max_tokens parameter must be less than the context length/i,
  // SGLang with an output limit, Cerebras, LM Studio, Ollama
  /maximum context length of (?<context>\d+) tokens\. You requested a total of (?<total>\d+) tokens: (?<prompt>\d+) tokens from the input messages and (?<output>\d+)/i,
  /current length is (?<prompt>\d+) while limit is (?<context>\d+)/i,
  /keep the first (?<prompt>\d+) tokens when context the overflows\. However, the model is loaded with context length of only (?<context>\d+)/i,
  /exceeds the context length|exceeded max context length|too many tokens overall/i,
  // Zhipu
  /^prompt 超长/i,
  // Moonshot, MiniMax, Z.ai, Alibaba, Amazon Bedrock, Groq
  /exceeded model token limit: (?<context>\d+) \(requested: (?<prompt>\d+)\)/i,
  /exceeded model token limit/i,
  /context window exceeds limit/i,
  /prompt exceeds max length/i,
  /range of input length should be \[\d+, ?(?<context>\d+)\]/i,
  /input is too long for requested model/i,
  /reduce the length of the messages/i,
];

type Figures = Readonly<Record<string, string | undefined>>;

function withFigures(groups: Figures): ContextOverflow {
  const contextTokens = figure(groups['context']);
  const promptTokens = figure(groups['prompt']) ?? figure(groups['total']);
  const outputTokens = figure(groups['output']);
  const promptFits = promptTokens !== undefined && contextTokens !== undefined && promptTokens <= contextTokens;
  return { promptTokens, contextTokens, outputTokens: promptFits ? outputTokens : undefined };
}

function figure(digits: string | undefined): number | undefined {
  if (digits === undefined) return undefined;
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : undefined;
}
