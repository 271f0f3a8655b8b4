import { Badge } from '../../components/badge.tsx';
import { type CapUsage, capSentence, reachedCap } from './caps.ts';

const STATUS = {
  active: { tone: 'good', label: 'Active' },
  expired: { tone: 'warn', label: 'Expired' },
  deleted: { tone: 'neutral', label: 'Deleted' },
} as const;

interface KeyStatusProps {
  status: keyof typeof STATUS;
  /** Where they are known. */
  caps?: readonly CapUsage[];
}

/** Whether the requests of a key are accepted. */
export function KeyStatus({ status, caps = [] }: KeyStatusProps) {
  const cap = status === 'active' ? reachedCap(caps) : undefined;
  if (cap !== undefined) {
    return (
      <span data-tip={capSentence(cap)}>
        <Badge tone="bad">Cap reached</Badge>
      </span>
    );
  }
  const { tone, label } = STATUS[status];
  return <Badge tone={tone}>{label}</Badge>;
}
