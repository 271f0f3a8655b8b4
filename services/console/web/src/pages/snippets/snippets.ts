import { claudeCodeSnippet, codexSnippet, opencodeSnippet } from './agents.ts';
import type { Connection } from './connection.ts';
import { anthropicSnippet, curlSnippet, geminiSnippet, openaiSnippet } from './sdks.ts';

export type Language = 'shell' | 'javascript' | 'python' | 'json' | 'toml';

/** Text to copy: a command, or the contents of a file. */
export interface Block {
  /** What it is or where it goes, such as `~/.codex/config.toml`. */
  title: string;
  language: Language;
  code: string;
}

/** How to use the gateway from one client. */
export interface Snippet {
  id: string;
  label: string;
  blocks: readonly Block[];
  /** What else there is to know. */
  note: string | null;
}

/** Ready lines for every client that is tested with the gateway. */
export function snippetsOf(connection: Connection): readonly Snippet[] {
  return [
    curlSnippet(connection),
    openaiSnippet(connection),
    anthropicSnippet(connection),
    geminiSnippet(connection),
    claudeCodeSnippet(connection),
    codexSnippet(connection),
    opencodeSnippet(connection),
  ];
}
