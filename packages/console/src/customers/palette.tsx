import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { keyName } from './all-keys.ts';
import { usePaletteEntries } from './palette-entries.ts';
import type { PaletteEntry } from './palette-entry.ts';

/** A button and Ctrl+K: customers, searches and commands by typing a part of their name. */
export function Palette() {
  const { t } = useText();
  const [isOpen, setIsOpen] = useState(false);
  const open = () => setIsOpen(true);
  useKeys({ 'Mod+k': open });
  return (
    <>
      <button
        type="button"
        className="button bare jump-to"
        aria-keyshortcuts="Control+K Meta+K"
        title={t('palette.label')}
        onClick={open}
      >
        <Icon name="search" />
        <span className="hidden">{t('palette.label')}</span>
        <kbd>{keyName('Mod', t)} K</kbd>
      </button>
      {isOpen && <PaletteDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}

function PaletteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const { groups, isSearching } = usePaletteEntries(text.trim());
  const entries = groups.flatMap((group) => group.entries);
  const active = Math.min(chosen, entries.length - 1);

  useEffect(() => dialog.current?.showModal(), []);

  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    // Closing gives the focus back first; the command may then move it.
    dialog.current?.close();
    entry.run();
  };
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) setChosen((active + move + entries.length) % entries.length);
    else if (event.key === 'Enter') run(entries[active]);
    else if (event.key === 'k' && (event.ctrlKey || event.metaKey)) dialog.current?.close();
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={t('palette.label')}
      onClose={onClose}
      onKeyDown={press}
      onClick={({ target }) => target === dialog.current && dialog.current.close()}
    >
      <input
        type="text"
        role="combobox"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        dir="auto"
        aria-label={t('palette.label')}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries[active] && `${id}-${active}`}
        placeholder={t('palette.placeholder')}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
        }}
      />
      <div id={id} role="listbox" aria-label={t('palette.label')} aria-busy={isSearching}>
        {groups.map((group) => (
          <div key={group.title} role="group" aria-label={t(group.title)}>
            <p aria-hidden="true">{t(group.title)}</p>
            {group.entries.map((entry) => {
              const index = entries.indexOf(entry);
              return (
                <Option
                  key={entry.id}
                  id={`${id}-${index}`}
                  entry={entry}
                  isActive={index === active}
                  choose={() => setChosen(index)}
                  run={() => run(entry)}
                />
              );
            })}
          </div>
        ))}
      </div>
    </dialog>
  );
}

interface OptionProps {
  id: string;
  entry: PaletteEntry;
  isActive: boolean;
  choose: () => void;
  run: () => void;
}

function Option({ id, entry, isActive, choose, run }: OptionProps) {
  const { icon, label, detail, shortcut } = entry;
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  return (
    // The keyboard chooses in the field above.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      ref={option}
      id={id}
      role="option"
      aria-selected={isActive}
      onPointerMove={choose}
      onClick={run}
    >
      <Icon name={icon} />
      <span dir="auto">{label}</span>
      {detail !== undefined && <small dir="auto">{detail}</small>}
      {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
    </div>
  );
}
