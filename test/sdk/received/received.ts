/**
 * What a provider received, read from the bytes of a recorded call by the rules of its own documentation. It is a second
 * reading next to the simulator's own, so that neither has to be believed.
 */
export interface Received {
  /** Instructions at the front, and those in mid-conversation. */
  system: string[];
  laterInstructions: string[];
  /** Of user and assistant in their order, one a message, text parts joined. */
  turns: { role: 'user' | 'assistant'; text: string }[];
  images: Media[];
  files: Media[];
  audio: Media[];
  calls: { id: string; name: string; input: unknown }[];
  results: { callId: string; name: string; text: string; isError: boolean; images: Media[] }[];
  /** Signatures and encrypted reasoning that came back. */
  signatures: string[];
  /** Thoughts that came back as text. */
  thoughts: string[];
  tools: { name: string; description: string; parameters: unknown; strict: boolean }[];
  toolChoice: 'required' | 'none' | { tool: string } | { allowed: string[] } | undefined;
  singleCall: boolean;
  /** A JSON schema, or any JSON object. */
  responseFormat: { schema: unknown } | 'any' | undefined;
  reasoning: { effort: string } | { budget: number } | 'off' | undefined;
  stop: string[];
  maxTokens: number | null;
  temperature: number | null;
  topK: number | null;
  seed: number | null;
  presencePenalty: number | null;
  choices: number;
  /** Alternatives requested for each token. */
  logprobs: number | null;
  /** Marks in the prompt, or a key. */
  cacheHints: string[];
  userId: string;
}

/** A base64 text or a URL. */
export interface Media {
  source: string;
  mediaType: string;
}

export function emptyReceived(): Received {
  return {
    system: [],
    laterInstructions: [],
    turns: [],
    images: [],
    files: [],
    audio: [],
    calls: [],
    results: [],
    signatures: [],
    thoughts: [],
    tools: [],
    toolChoice: undefined,
    singleCall: false,
    responseFormat: undefined,
    reasoning: undefined,
    stop: [],
    maxTokens: null,
    temperature: null,
    topK: null,
    seed: null,
    presencePenalty: null,
    choices: 1,
    logprobs: null,
    cacheHints: [],
    userId: '',
  };
}

/** A data URL's parts; any other URL stays as it is. */
export function mediaOf(url: string): Media {
  const match = /^data:([^;,]*);base64,(.*)$/s.exec(url);
  return match === null ? { source: url, mediaType: '' } : { source: match[2] ?? '', mediaType: match[1] ?? '' };
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
