import { z } from 'zod';

/** A node of a plan, as EXPLAIN (FORMAT JSON) shows it. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string | undefined;
  'Index Cond'?: string | undefined;
  'Index Name'?: string | undefined;
  'Actual Rows'?: number | undefined;
  'Actual Loops'?: number | undefined;
  'Rows Removed by Filter'?: number | undefined;
  'Rows Removed by Index Recheck'?: number | undefined;
  Plans?: PlanNode[] | undefined;
}

const nodeSchema: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    'Index Cond': z.string().optional(),
    'Index Name': z.string().optional(),
    'Actual Rows': z.number().optional(),
    'Actual Loops': z.number().optional(),
    'Rows Removed by Filter': z.number().optional(),
    'Rows Removed by Index Recheck': z.number().optional(),
    Plans: z.array(nodeSchema).optional(),
  }),
);

const explainedSchema = z.object({ 'Query Text': z.string(), Plan: nodeSchema });

/** A statement that ran, with its plan. */
export interface Explained {
  text: string;
  plan: PlanNode;
}

/** Reads a notice of auto_explain; undefined for any other. */
export function parseNotice(message: string): Explained | undefined {
  const start = message.indexOf('plan:\n');
  if (!message.startsWith('duration:') || start < 0) return undefined;
  const { 'Query Text': text, Plan: plan } = explainedSchema.parse(JSON.parse(message.slice(start + 'plan:\n'.length)));
  return { text, plan };
}

export function* nodesOf(plan: PlanNode): Generator<PlanNode> {
  yield plan;
  for (const child of plan.Plans ?? []) yield* nodesOf(child);
}

/** The rows that a node read, including those it filtered out. */
export function rowsRead(node: PlanNode): number {
  const perLoop =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return perLoop * (node['Actual Loops'] ?? 0);
}
