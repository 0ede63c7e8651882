import { changeSettings, useSettings } from '../settings.ts';
import type { MessageName } from '../text/messages.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';

const list: [keys: string[], does: MessageName][] = [
  [['/'], 'keys.search'],
  [['↓', '↑', 'j', 'k'], 'keys.move'],
  [['↵'], 'keys.open'],
  [['Esc'], 'keys.close'],
  [['[', ']'], 'keys.pages'],
  [['e', 'p', 'i'], 'keys.copy'],
  [['r'], 'keys.refresh'],
  [['?'], 'keys.help'],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const { letterKeys } = useSettings();
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <dl className="keys">
        {list.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(does)}</dd>
          </div>
        ))}
      </dl>
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
    </Dialog>
  );
}
