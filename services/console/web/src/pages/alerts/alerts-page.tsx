import { Link } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import { ErrorNote, Note, Nothing } from '../../components/note.tsx';
import { Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { Time } from '../../components/time.tsx';
import { mailText, webhookText } from './delivery.ts';
import { MailSwitch } from './mail-switch.tsx';
import { ThresholdsForm } from './thresholds-form.tsx';

export type Alerts = Output<'GET /accounts/{account_id}/alerts'>;
export type AlertEvent = Alerts['events'][number];

/** When to warn about a low balance, and the warnings that were sent. */
export function AlertsPage() {
  const { accountId } = useAccount();
  const alerts = useRead('GET /accounts/{account_id}/alerts', { path: { account_id: accountId } });
  if (alerts.isError && alerts.data === undefined) {
    return (
      <Page title="Alerts">
        <ErrorNote title="The alerts could not be loaded." error={alerts.error} onRetry={alerts.refetch} />
      </Page>
    );
  }
  return (
    <Page
      title="Alerts"
      about="There is an alert each time the balance falls to a threshold or below, when 50, 75 or 90 % of a cap is spent or the cap is reached, and when the account comes to owe money."
    >
      {alerts.data?.mail === false && (
        <Note tone="warn" title="This console sends no e-mail">
          E-mail is not configured here. Alerts appear in the list below and reach the webhook of the people who run
          Tollgate, if they have set one.
        </Note>
      )}
      {alerts.data?.mail === true && (
        <Section title="E-mail">
          <MailSwitch enabled={alerts.data.mail_enabled} />
        </Section>
      )}
      <Section title="Low-balance thresholds">
        {alerts.data === undefined ? <SkeletonBlock height={120} /> : <ThresholdsForm alerts={alerts.data} />}
      </Section>
      <Section title="Last alerts" about="At most 50.">
        <Table
          label="Last alerts"
          columns={alerts.data?.mail === true ? WITH_MAIL : WITHOUT_MAIL}
          rows={alerts.data?.events}
          rowId={({ event_id }) => event_id}
          empty={<Nothing>No alerts yet.</Nothing>}
        />
      </Section>
    </Page>
  );
}

/** Leads to the key that it is about. */
function Sentence({ event: { key_id, sentence } }: { event: AlertEvent }) {
  const { href, is } = useAccount();
  if (key_id === null || !is('operator', 'owner')) return <span data-tip={sentence}>{sentence}</span>;
  return (
    <Link href={href(`/keys/${key_id}`)} data-tip={sentence}>
      {sentence}
    </Link>
  );
}

const SENTENCE: Column<AlertEvent> = {
  id: 'sentence',
  title: 'Alert',
  width: 240,
  grow: 1,
  cell: (event) => <Sentence event={event} />,
};
const MAILS: Column<AlertEvent> = {
  id: 'mails',
  title: 'E-mail',
  width: 160,
  phone: 'end',
  cell: ({ mails }) => mailText(mails),
};
const WEBHOOK: Column<AlertEvent> = {
  id: 'state',
  title: 'Webhook',
  width: 120,
  cell: ({ state }) => webhookText(state),
};
const TIME: Column<AlertEvent> = {
  id: 'time',
  title: 'Time',
  priority: 1,
  width: 120,
  phone: 'detail',
  cell: ({ created_at }) => <Time value={created_at} />,
};

const WITH_MAIL: Column<AlertEvent>[] = [SENTENCE, MAILS, WEBHOOK, TIME];
const WITHOUT_MAIL: Column<AlertEvent>[] = [SENTENCE, { ...WEBHOOK, phone: 'end' }, TIME];
