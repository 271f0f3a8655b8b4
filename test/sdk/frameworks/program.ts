/** What a small program written with a framework does. Each driver runs it as the framework's own documentation shows. */
export interface Program {
  /** Which of the framework's ways to call a model: the part of the client's id after the slash. */
  way: string;
  /** The gateway's address, without a path. */
  baseUrl: string;
  key: string;
  model: string;
  stream: boolean;
  instructions?: string;
  /** The user's turns of one conversation. The framework keeps what happened in between. */
  prompts: Prompt[];
  /** Offers the tool `get_weather(city)`; it returns this text with the city in place of `{city}`. */
  toolOutput?: string;
  /** Asks for an object `{ city: string, warm: boolean }`. */
  object?: true;
  /** Asks the model to reason a little, and to return its thoughts. */
  reasoning?: true;
  /** Aborts after this many pieces of text. */
  abortAfter?: number;
}

export interface Prompt {
  text: string;
  image?: { data: string; mediaType: string };
}

/** What the program's user sees. */
export interface ProgramResult {
  /** The final text of each prompt. */
  texts: string[];
  /** The thoughts of all responses, where the framework shows them. */
  thoughts: string;
  /** Inputs of the tool's runs, in order. */
  toolInputs: unknown[];
  object: unknown;
  /** Pieces of text in streams. */
  pieces: number;
  /** Tokens of the last response, as the framework reports them. */
  usage: { input: number; output: number } | null;
  error: ProgramError | null;
}

export interface ProgramError {
  /** The classes of the error and of its causes, outermost first, with their base classes. */
  kinds: string[];
  /** The HTTP status, where the framework reports one. */
  status: number | null;
  /** The message, as a program would log it. */
  message: string;
}

export const OBJECT_FIELDS = ['city', 'warm'] as const;
