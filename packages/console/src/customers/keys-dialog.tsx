import { useContext } from 'react';
import { useAllowed } from '../session/allowed.ts';
import { changeSettings, useSettings } from '../settings.ts';
import type { MessageName } from '../text/messages.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { LinksContext } from './customer-links.tsx';
import { allKeys, keyName } from './all-keys.ts';

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { t, language } = useText();
  const { letterKeys } = useSettings();
  const allowed = useAllowed();
  const links = useContext(LinksContext);
  const needs: Partial<Record<MessageName, boolean>> = {
    'keys.search': allowed.search,
    'keys.suggestion': allowed.search,
    'keys.open': allowed.open,
    'keys.related': allowed.search,
    'export.title': allowed.export,
    'keys.links': links.length > 0,
  };
  return (
    <Dialog title={t('keys.title')} onClose={onClose} isWide>
      <div className="keys">
        {allKeys.map(([where, keys]) => (
          <section key={where}>
            <h3>{t(where)}</h3>
            <dl>
              {keys
                .filter(([, does]) => needs[does] !== false)
                .map(([names, does]) => (
                  <div key={does}>
                    <dt>
                      {names.map((name) => (
                        <kbd key={name}>{keyName(name, t)}</kbd>
                      ))}
                    </dt>
                    <dd>{t(does)}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="letters">
        <input
          type="checkbox"
          checked={letterKeys}
          aria-describedby="letters-why"
          onChange={({ target }) => changeSettings({ letterKeys: target.checked })}
        />
        {t('keys.letters')}
      </label>
      <p id="letters-why" className="hint">
        {t('keys.lettersWhy')}
      </p>
      <p>
        <a href={`/guide/${language}.html`} target="_blank" rel="noreferrer">
          {t('keys.guide')}
        </a>
      </p>
    </Dialog>
  );
}
