import { useAccount } from '../../account/account-context.tsx';
import { Button } from '../../components/button.tsx';
import { Note } from '../../components/note.tsx';
import { Time } from '../../components/time.tsx';
import { shortMoney } from '../../format/money.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone.ts';
import { type CapUsage, capLabel } from './caps.ts';

/** Why the requests of a key are refused, until when, and the way to raise the cap. */
export function CapReached({ cap, onRaise }: { cap: CapUsage; onRaise: () => void }) {
  const { may } = useAccount();
  const [zone] = useZone();
  const mayRaise = may('operator', 'owner', 'admin');
  return (
    <Note
      tone="bad"
      title="Cap reached"
      action={
        mayRaise && (
          <Button look="primary" onPress={onRaise}>
            Raise the cap
          </Button>
        )
      }
    >
      {shortMoney(cap.spent, [cap.limit])} of the {capLabel(cap.period).toLowerCase()} of{' '}
      {shortMoney(cap.limit, [cap.spent])} is spent, and requests of this key are refused.{' '}
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
