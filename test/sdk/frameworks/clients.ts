import type { Language, ProtocolName } from '../scenario.ts';

export type Framework =
  | 'ai-sdk'
  | 'langchain-js'
  | 'openai-agents-js'
  | 'mistral'
  | 'langchain-python'
  | 'pydantic-ai'
  | 'openai-agents-python';

/** One way of a framework to call a model. */
export interface FrameworkClient {
  /** `framework/way`. */
  id: string;
  framework: Framework;
  language: Language;
  /** The framework's own part that speaks the protocol. */
  by: string;
  protocol: ProtocolName;
}

type Way = readonly [name: string, by: string, protocol: ProtocolName];

function clientsOf(framework: Framework, language: Language, ways: readonly Way[]): FrameworkClient[] {
  return ways.map(([name, by, protocol]) => ({ id: `${framework}/${name}`, framework, language, by, protocol }));
}

export const CLIENTS: readonly FrameworkClient[] = [
  ...clientsOf('ai-sdk', 'JavaScript', [
    ['openai-chat', '@ai-sdk/openai, chat', 'openai-chat'],
    ['openai-compatible', '@ai-sdk/openai-compatible', 'openai-chat'],
    ['openai-responses', '@ai-sdk/openai, responses', 'openai-responses'],
    ['anthropic', '@ai-sdk/anthropic', 'anthropic-messages'],
    ['google', '@ai-sdk/google', 'gemini'],
  ]),
  ...clientsOf('langchain-js', 'JavaScript', [
    ['openai-chat', '@langchain/openai', 'openai-chat'],
    ['openai-responses', '@langchain/openai, useResponsesApi', 'openai-responses'],
    ['anthropic', '@langchain/anthropic', 'anthropic-messages'],
    ['google', '@langchain/google-genai', 'gemini'],
  ]),
  ...clientsOf('openai-agents-js', 'JavaScript', [
    ['openai-chat', '@openai/agents, chat_completions', 'openai-chat'],
    ['openai-responses', '@openai/agents, responses', 'openai-responses'],
  ]),
  ...clientsOf('langchain-python', 'Python', [
    ['openai-chat', 'langchain-openai', 'openai-chat'],
    ['openai-responses', 'langchain-openai, use_responses_api', 'openai-responses'],
    ['anthropic', 'langchain-anthropic', 'anthropic-messages'],
    ['google', 'langchain-google-genai', 'gemini'],
  ]),
  ...clientsOf('pydantic-ai', 'Python', [
    ['openai-chat', 'OpenAIChatModel', 'openai-chat'],
    ['openai-responses', 'OpenAIResponsesModel', 'openai-responses'],
    ['anthropic', 'AnthropicModel', 'anthropic-messages'],
    ['google', 'GoogleModel', 'gemini'],
  ]),
  ...clientsOf('openai-agents-python', 'Python', [
    ['openai-chat', 'OpenAIChatCompletionsModel', 'openai-chat'],
    ['openai-responses', 'OpenAIResponsesModel', 'openai-responses'],
  ]),
  // Not a framework: an SDK in a form of chat completions of its own.
  ...clientsOf('mistral', 'JavaScript', [['chat', '@mistralai/mistralai', 'openai-chat']]),
];
