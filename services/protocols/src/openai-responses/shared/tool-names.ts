import { recordOr } from '../../json/record.ts';
import type { ResponsesRequest } from './schema.ts';

/** A tool's name within its namespace. */
export interface ScopedName {
  readonly name: string;
  readonly namespace: string;
}

/** The name of a namespaced tool for protocols without namespaces. */
export function joinedName(name: string, namespace: string | null | undefined): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}__${name}` : name;
}

/** The tools of namespaces by their joined names, for decoding calls of them. */
export function scopedNames({ tools }: ResponsesRequest): ReadonlyMap<string, ScopedName> {
  const names = new Map<string, ScopedName>();
  for (const tool of tools ?? []) {
    if (tool.type !== 'namespace' || typeof tool.name !== 'string') continue;
    const namespace = tool.name;
    const { tools: inner } = tool;
    if (!Array.isArray(inner)) continue;
    for (const element of inner) {
      const { name } = recordOr(element);
      if (typeof name === 'string') names.set(joinedName(name, namespace), { name, namespace });
    }
  }
  return names;
}
