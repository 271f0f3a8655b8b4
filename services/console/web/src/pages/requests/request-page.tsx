import { useParams } from 'wouter';
import { useAccount } from '../../account/account-context.tsx';
import { ApiError } from '../../api/error.ts';
import { useRead } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Empty, ErrorNote, Note } from '../../components/note.tsx';
import { Page, Section } from '../../components/page.tsx';
import { SkeletonBlock } from '../../components/skeleton.tsx';
import { billOf } from './bill.ts';
import { BillTable } from './bill-table.tsx';
import { RefusalNote } from './refusal-note.tsx';
import styles from './request.module.css';
import { RequestFacts } from './request-facts.tsx';
import type { Request } from './timeline.ts';
import { Timeline } from './timeline-list.tsx';

/** A request: what happened, and its bill. */
export function RequestPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { accountId, href } = useAccount();
  const request = useRead('GET /accounts/{account_id}/requests/{id}', { path: { account_id: accountId, id } });
  const { data, error } = request;
  return (
    <Page
      title="Request"
      about={data === undefined ? <code>{id}</code> : undefined}
      actions={<ButtonLink href={href('/requests')}>All requests</ButtonLink>}
    >
      {request.isPending && (
        <>
          <SkeletonBlock height={88} />
          <div className={styles['columns']}>
            <SkeletonBlock height={240} />
            <SkeletonBlock height={240} />
          </div>
        </>
      )}
      {data === undefined && error !== null && (
        <NotLoaded error={error} isFetching={request.isFetching} onRetry={() => void request.refetch()} />
      )}
      {data !== undefined && <Details request={data} />}
    </Page>
  );
}

function Details({ request }: { request: Request }) {
  const isRefused = request.status === 'refused';
  return (
    <>
      <RequestFacts request={request} />
      {request.refusal !== null && <RefusalNote request={request} refusal={request.refusal} />}
      {request.failure !== null && (
        <Note tone="warn" title={request.failure.sentence}>
          {request.failure.action}
        </Note>
      )}
      {request.usage_estimated && (
        <Note title="The quantities are estimates.">
          The provider reported no usage for this request, or impossible figures, so the gateway counted what it sent
          and received.
        </Note>
      )}
      <div className={styles['columns']}>
        <Section title="What happened">
          <Timeline request={request} />
        </Section>
        <Section title="Bill">
          {isRefused ? (
            <p className="muted">Nothing was held or charged: the request never reached a provider.</p>
          ) : (
            <BillTable bill={billOf(request)} request={request} />
          )}
        </Section>
      </div>
    </>
  );
}

interface NotLoadedProps {
  error: Error;
  isFetching: boolean;
  onRetry: () => void;
}

function NotLoaded({ error, isFetching, onRetry }: NotLoadedProps) {
  if (!(error instanceof ApiError) || (error.code !== 'not_found' && error.code !== 'invalid_request')) {
    return <ErrorNote title="The request could not be loaded." error={error} onRetry={onRetry} />;
  }
  return (
    <Empty
      title="No request has this id"
      action={
        <Button pending={isFetching && 'Looking'} onPress={onRetry}>
          Look again
        </Button>
      }
    >
      <p>
        A request appears when it has ended, a refused one a few seconds later. Refused requests are kept for 7 days.
        Requests of other accounts do not show here.
      </p>
    </Empty>
  );
}
