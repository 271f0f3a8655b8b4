import type { AgentName, UpstreamName } from '../cells.ts';

/** A call of a tool, as a model makes it. */
export interface Call {
  name: string;
  /** JSON text, or the input of a custom tool. */
  arguments: string;
  /** Whether it is of a custom tool, which other protocols than Responses get as a function with the field `input`. */
  custom?: true;
}

/** One agent: how it runs without a terminal, and its own tools. */
export interface Agent {
  name: AgentName;
  /** Its name for `tollgate clients`, which prints its setup. */
  client: string;
  /** Its program, within the installed packages. */
  program: string;
  model: (upstream: UpstreamName) => string;
  /** Turns off what is not about models: telemetry, updates, downloads. */
  environment: Record<string, string>;
  /** More files in its home folder, with paths like `~/.qwen/settings.json`. */
  files: Record<string, string>;
  /** Whether the prompt comes on its standard input instead of as an argument. */
  readsInput?: true;
  /** The arguments for a prompt; with `goOn`, for a further turn of its last session. */
  args: (prompt: string, goOn: boolean) => string[];
  /** The reasoning that it returns to the model: of all steps of the turn, of the last one, or none. */
  keepsReasoning: 'turn' | 'last step' | 'none';
  /** Calls of its tools, by absolute paths. */
  writeFile: (path: string, text: string) => Call;
  readFile: (path: string) => Call;
  viewImage: (path: string) => Call;
}

export function call(name: string, input: object): Call {
  return { name, arguments: JSON.stringify(input) };
}
