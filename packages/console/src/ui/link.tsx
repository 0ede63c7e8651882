import type { AnchorHTMLAttributes, MouseEvent } from 'react';

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  /** Goes to `href` without loading the page. */
  follow: () => void;
}

/** A link within the console. Clicks that open a tab or a window are left to the browser. */
export function Link({ follow, children, ...attributes }: Props) {
  return (
    <a
      {...attributes}
      onClick={(event) => {
        if (opensElsewhere(event)) return;
        event.preventDefault();
        follow();
      }}
    >
      {children}
    </a>
  );
}

export function opensElsewhere(event: MouseEvent): boolean {
  return event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}
