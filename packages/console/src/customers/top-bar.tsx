import type { ReactNode } from 'react';
import { go } from '../address.ts';
import { useText } from '../text/text.ts';
import { Link } from '../ui/link.tsx';
import { Wordmark } from '../ui/wordmark.tsx';
import { addressOfSearch } from './open-search.ts';
import { Palette } from './palette.tsx';
import { ViewMenu } from './view-menu.tsx';

interface Props {
  sessionMenu: ReactNode;
  showKeys: () => void;
}

export function TopBar({ sessionMenu, showKeys }: Props) {
  const { t } = useText();
  return (
    <header className="top">
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <h1>
        <Link href="/" follow={() => go(addressOfSearch(''), 'push')}>
          <Wordmark />
        </Link>
      </h1>
      <span className="spring" />
      <Palette />
      <button
        type="button"
        className="button bare help"
        aria-label={t('keys.title')}
        title={t('keys.title')}
        onClick={showKeys}
      >
        <kbd>?</kbd>
      </button>
      <ViewMenu />
      {sessionMenu}
    </header>
  );
}
