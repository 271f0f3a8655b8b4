import { ButtonLink } from '../components/button.tsx';
import { Empty } from '../components/note.tsx';
import { Page } from '../components/page.tsx';

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address" action={<ButtonLink href="/">Open the overview</ButtonLink>}>
        <p>The link may be mistyped, or your role does not include the page.</p>
      </Empty>
    </Page>
  );
}
