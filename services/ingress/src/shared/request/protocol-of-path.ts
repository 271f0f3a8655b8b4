import type { Surface } from './surface.ts';

const OPENAI_PATHS = /^(?:\/v1)?\/(chat\/completions|responses|embeddings)(?:\/|$)/;

/** The protocol of the endpoint at a path, by the name that records have; empty for a path without a protocol of its own. */
export function protocolOfPath(path: string, surface: Surface): string {
  switch (surface) {
    case 'messages':
      return 'anthropic-messages';
    case 'generative':
      return /:(?:batchEmbedContents|embedContent)$/.test(path) ? 'gemini-embeddings' : 'gemini';
    case 'model':
      return openaiProtocol(OPENAI_PATHS.exec(path)?.[1]);
    case 'billing':
      return '';
    default:
      return surface satisfies never;
  }
}

function openaiProtocol(endpoint: string | undefined): string {
  switch (endpoint) {
    case 'chat/completions':
      return 'openai-chat';
    case 'responses':
      return 'openai-responses';
    case 'embeddings':
      return 'openai-embeddings';
    default:
      return '';
  }
}
