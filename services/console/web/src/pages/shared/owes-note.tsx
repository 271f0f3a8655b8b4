import { Money } from '../../components/money.tsx';
import { Note } from '../../components/note.tsx';

/** Why requests are refused although the account is not suspended by an operator, and what helps. */
export function OwesNote({ owed }: { owed: string }) {
  return (
    <Note tone="bad" title="Requests are refused, because the account owes money.">
      Credit that was already spent was taken back, as by a disputed payment. The next top-up pays{' '}
      <Money value={owed} /> of debt first. Once nothing is owed, requests are served again.
    </Note>
  );
}
