import { type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { type TypedTool, typedToolOf } from './typed-tools.ts';

/** A declared tool that is not called like a plain function of its name. */
export type DeclaredTool =
  | { readonly kind: 'scoped'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'typed'; readonly tool: TypedTool };

/** Such tools by the names that other providers know them by. */
export type DeclaredTools = ReadonlyMap<string, DeclaredTool>;

/** The name of a namespaced tool for protocols without namespaces. */
export function joinedName(name: string, namespace: string | null | undefined): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name;
}

/**
 * Names of tools outside of namespaces. OpenAI writes calls of a deferred one with a namespace of its own name, which is not
 * declared and means nothing elsewhere.
 */
export function plainNames(tools: readonly JsonRecord[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { type, name } of tools) if (type !== 'namespace') names.add(stringOr(name));
  for (const { type, name } of tools) if (type === 'namespace') names.delete(stringOr(name));
  return names;
}

/** Whether a call has such a namespace. */
export function isPlainCall({ name, namespace }: JsonRecord, plain: ReadonlySet<string>): boolean {
  return namespace === name && plain.has(stringOr(name));
}

/** Finds the tools of namespaces and those with a type of their own, for encoding calls of them. The last of a name counts. */
export class ToolIndex {
  readonly #tools = new Map<string, DeclaredTool>();

  get tools(): DeclaredTools {
    return this.#tools;
  }

  add(tool: JsonRecord): void {
    const typed = typedToolOf(tool);
    if (typed !== undefined) {
      this.#tools.set(typed, { kind: 'typed', tool: typed });
      return;
    }
    const { type, name, tools } = tool;
    if (typeof name !== 'string') return;
    if (type !== 'namespace') this.#tools.delete(name);
    else if (Array.isArray(tools)) for (const inner of tools) this.#addScoped(stringOr(recordOr(inner)['name']), name);
  }

  #addScoped(name: string, namespace: string): void {
    if (name !== '') this.#tools.set(joinedName(name, namespace), { kind: 'scoped', name, namespace });
  }
}
