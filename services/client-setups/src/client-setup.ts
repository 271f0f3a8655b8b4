/** The language of a block, for its highlighting. */
export type Language = 'shell' | 'javascript' | 'python' | 'json' | 'toml' | 'yaml';

/** Text to copy: a command, or the contents of a file. */
export interface Block {
  /** What it is or where it goes, such as `~/.codex/config.toml`. */
  title: string;
  language: Language;
  code: string;
  /** The file with this content, such as `~/.codex/config.toml`; absent for commands, source code and alternatives. */
  file?: string;
}

/** How to use the gateway from one client. */
export interface ClientSetup {
  id: string;
  label: string;
  blocks: readonly Block[];
  /** What else there is to know. */
  note: string | null;
}
