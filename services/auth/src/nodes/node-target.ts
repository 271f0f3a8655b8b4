import type { NodeRow } from '../store/nodes.ts';

/** What an audit entry says of a project, a service account or a member in a project. */
export function nodeTarget(
  { node_id, person_id, name, parent_name }: NodeRow,
  details: Readonly<Record<string, string>>,
): { targetId: string; targetName: string; details: Readonly<Record<string, string>> } {
  const place = parent_name === null ? {} : { project: parent_name };
  return { targetId: person_id ?? node_id, targetName: name, details: { ...place, ...details } };
}
