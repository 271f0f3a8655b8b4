import type { JsonRecord } from '../json/record.ts';
import type { CacheHint, Placed } from './part.ts';

/** A tool that the client runs. */
export type Tool = FunctionTool | CustomTool;

export interface FunctionTool extends Placed {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its input; absent: no input. */
  readonly parameters?: JsonRecord;
  /** Whether the input must match the schema exactly; the protocol's default if absent. */
  readonly strict?: boolean;
  readonly cache?: CacheHint;
}

/** A tool whose input is plain text, or text of a grammar. */
export interface CustomTool extends Placed {
  readonly type: 'custom';
  readonly name: string;
  readonly description?: string;
  readonly grammar?: { readonly syntax: string; readonly definition: string };
  readonly cache?: CacheHint;
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'tool'; readonly name: string }
  /** A choice among some of the tools. */
  | { readonly type: 'allowed'; readonly mode: 'auto' | 'required'; readonly names: readonly string[] };
