/** The process that a command runs in, replaced in tests. */
export interface Io {
  stdout: (text: string) => void;
  /** Writes a part of a file to stdout, as fast as it is taken. */
  writeOut: (part: Uint8Array) => Promise<void>;
  stderr: (text: string) => void;
  /** Reads a secret: a line that is typed without being shown, or piped. */
  readSecret: (prompt: string) => Promise<string>;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Unix milliseconds. */
  now: () => number;
  /** Waits between the polls of a sign-in. */
  delay: (ms: number) => Promise<void>;
}
