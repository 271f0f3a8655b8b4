import { Component, type ReactNode } from 'react';
import { Button } from '../components/button.tsx';
import { Note } from '../components/note.tsx';

/** Shows that a page failed, and keeps the rail and header. A new version of the console also comes here: old files are gone. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <Note
        tone="bad"
        title="This page failed to open"
        action={<Button onPress={() => window.location.reload()}>Reload</Button>}
      >
        The console may have been updated since you opened it. Nothing was changed. Reload the page.
      </Note>
    );
  }
}
