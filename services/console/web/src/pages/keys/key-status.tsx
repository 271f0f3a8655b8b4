import { Badge } from '../../components/badge.tsx';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone.ts';
import { type CapUsage, capSentence, reachedCap } from './caps.ts';

const STATUS = {
  active: { tone: 'good', label: 'Active' },
  expired: { tone: 'warn', label: 'Expired' },
  off: { tone: 'warn', label: 'Off' },
  deleted: { tone: 'neutral', label: 'Deleted' },
} as const;

interface KeyStatusProps {
  status: keyof typeof STATUS;
  /** Where they are known. */
  caps?: readonly CapUsage[];
}

/** Whether requests are accepted: of a key, or of all keys of a project, a service account or a member. */
export function KeyStatus({ status, caps = [] }: KeyStatusProps) {
  const cap = status === 'active' ? reachedCap(caps) : undefined;
  if (cap !== undefined) return <CapReachedBadge cap={cap} />;
  const { tone, label } = STATUS[status];
  return <Badge tone={tone}>{label}</Badge>;
}

/** With the time when requests are accepted again on hover. */
function CapReachedBadge({ cap }: { cap: CapUsage }) {
  const [zone] = useZone();
  const resets = cap.resets_at === null ? 'It does not reset.' : `It resets at ${exactTime(cap.resets_at, zone)}.`;
  return (
    <span data-tip={`${capSentence(cap)} ${resets}`}>
      <Badge tone="bad">Cap reached</Badge>
    </span>
  );
}
