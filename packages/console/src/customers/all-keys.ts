import type { MessageName } from '../text/messages.ts';
import type { Text } from '../text/text.ts';
import { isMac } from '../ui/use-keys.ts';

/** As printed on the key, in the language of the console. */
export function keyName(key: string, t: Text['t']): string {
  if (key === 'Mod') return isMac ? '⌘' : t('key.ctrl');
  return key === 'Space' ? t('key.space') : key;
}

/** All keys of the console, as the keyboard dialog lists them. */
export const allKeys: [where: MessageName, keys: [names: string[], does: MessageName][]][] = [
  [
    'keys.inList',
    [
      [['/'], 'keys.search'],
      [['Mod', 'K'], 'keys.palette'],
      [['↓', '↑', 'j', 'k'], 'keys.move'],
      [['Home', 'End', 'PgUp', 'PgDn'], 'keys.edges'],
      [['↵'], 'keys.open'],
      [['Esc'], 'keys.close'],
      [['[', ']'], 'keys.pages'],
      [['y'], 'keys.suggestion'],
      [['f'], 'keys.filter'],
      [['o'], 'keys.order'],
      [['x'], 'export.title'],
      [['r'], 'keys.refresh'],
      [['?'], 'keys.help'],
    ],
  ],
  [
    'keys.inTimeline',
    [
      [['←', '→'], 'keys.period'],
      [['↵'], 'keys.periodPage'],
      [['⇧', '←', '→'], 'keys.periodRange'],
    ],
  ],
  [
    'keys.inCustomer',
    [
      [['e', 'p', 'i'], 'keys.copy'],
      [['a', 'l'], 'keys.copyMore'],
      [['c', 'd'], 'keys.related'],
      [['1', '…', '8'], 'keys.links'],
    ],
  ],
  [
    'keys.inSelection',
    [
      [['Space'], 'keys.select'],
      [['⇧', '↓', '↑'], 'keys.selectMore'],
      [['Mod', 'A'], 'select.page'],
      [['e', 's'], 'keys.useSelection'],
      [['v'], 'keys.compare'],
    ],
  ],
];

/** Offered in the palette while their key does something. */
export const namedCommands: [key: string, name: MessageName][] = [
  ['e', 'copy.email'],
  ['p', 'copy.phone'],
  ['i', 'copy.id'],
  ['a', 'copy.all'],
  ['l', 'copy.link'],
  ['c', 'related.company'],
  ['d', 'related.byDomain'],
  ['s', 'select.export'],
  ['v', 'select.compare'],
  ['y', 'suggestions.first'],
  ['f', 'keys.filter'],
  ['o', 'keys.order'],
  ['x', 'export.title'],
  ['r', 'refresh'],
  ['?', 'keys.title'],
];
