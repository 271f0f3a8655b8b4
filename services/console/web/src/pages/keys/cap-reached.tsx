import { useAccount } from '../../account/account-context.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Note } from '../../components/note.tsx';
import { Time } from '../../components/time.tsx';
import { shortMoney } from '../../format/money.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone.ts';
import { type CapUsage, capLabel, setterLabel } from './caps.ts';

/** Why the requests of a key are refused, until when, and the way to raise the cap. */
export function CapReached({ cap, projectId, onRaise }: { cap: CapUsage; projectId: string; onRaise: () => void }) {
  const { may, href } = useAccount();
  const [zone] = useZone();
  const mayRaise = may('operator', 'owner', 'admin');
  const setter = setterLabel(cap.set_by);
  return (
    <Note
      tone="bad"
      title="Cap reached"
      action={
        mayRaise &&
        (setter === null ? (
          <Button look="primary" onPress={onRaise}>
            Raise the cap
          </Button>
        ) : (
          <ButtonLink href={href(`/projects/${projectId}`)}>Show the default</ButtonLink>
        ))
      }
    >
      {shortMoney(cap.spent, [cap.limit])} of the {capLabel(cap.period).toLowerCase()} of{' '}
      {shortMoney(cap.limit, [cap.spent])} is spent, and requests of this key are refused.{' '}
      {setter !== null && `${setter}. `}
      {cap.resets_at === null ? (
        'A total cap does not reset.'
      ) : (
        <>
          It resets at {exactTime(cap.resets_at, zone)}, <Time value={cap.resets_at} />.
        </>
      )}
      {!mayRaise && ' Owners and admins raise caps.'}
    </Note>
  );
}
