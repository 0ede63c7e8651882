import { useEffect } from 'react';

/** Names the tab. Null leaves the name to a component below. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    if (title !== null) document.title = `${title} · Clientele`;
  }, [title]);
}
