import { Badge, type Tone } from '../../components/badge.tsx';
import type { Status } from './filters.ts';

const STATUS: Record<Status, { label: string; tone: Tone }> = {
  completed: { label: 'Completed', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
  failed: { label: 'Failed', tone: 'bad' },
  refused: { label: 'Refused', tone: 'warn' },
};

export function statusLabel(status: Status): string {
  return STATUS[status].label;
}

/** How a request ended, and why it failed or was refused. */
export function StatusBadge({ status, reason = null }: { status: Status; reason?: string | null }) {
  const { label, tone } = STATUS[status];
  return <Badge tone={tone}>{reason === null ? label : `${label}: ${lowerFirst(reason)}`}</Badge>;
}

/** Inside a sentence: `Balance too low` becomes `balance too low`. */
function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
