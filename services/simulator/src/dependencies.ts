import { hash } from 'node:crypto';
import { FailFirst } from './controls/fail-first.ts';
import type { KeyHeader } from './exchange/protocol.ts';
import { Recorder } from './exchange/recorder.ts';
import { CONTEXT_WINDOW } from './model/context-window.ts';
import { PromptCache } from './model/prompt-cache.ts';

export interface DependencyOptions {
  /** The key that every model call must carry; undefined accepts any and none. */
  apiKey?: string | undefined;
  /** Maximum length of the bodies that the recorder keeps, in characters. */
  maxKeptBody?: number | undefined;
  /** Tokens that a prompt may have. */
  contextWindow?: number | undefined;
  /** Whether prompts are cached as the real providers do, so that equal requests get other usage; off by default. */
  promptCache?: boolean | undefined;
  /** Called with errors of the simulator itself. */
  onError: (error: unknown) => void;
}

/** Dependencies of the handlers. */
export interface Dependencies {
  recorder: Recorder;
  failFirst: FailFirst;
  /** The recorder's digest of the correct key, by header; undefined if no key is required. */
  keyDigests: Record<KeyHeader, string> | undefined;
  contextWindow: number;
  promptCache: PromptCache | undefined;
  onError: (error: unknown) => void;
}

export function createDependencies({
  apiKey,
  maxKeptBody,
  contextWindow = CONTEXT_WINDOW,
  promptCache = false,
  onError,
}: DependencyOptions): Dependencies {
  return {
    recorder: new Recorder(maxKeptBody),
    failFirst: new FailFirst(),
    keyDigests: apiKey === undefined ? undefined : digestsOf(apiKey),
    contextWindow,
    promptCache: promptCache ? new PromptCache() : undefined,
    onError,
  };
}

function digestsOf(key: string): Record<KeyHeader, string> {
  const plain = `sha256:${hash('sha256', key)}`;
  return { authorization: `sha256:${hash('sha256', `Bearer ${key}`)}`, 'x-api-key': plain, 'x-goog-api-key': plain };
}
