/** Everything the console says, in both languages side by side. `{name}` is filled in. */
export type Language = 'en' | 'de';

export const messages = {
  customers: { en: 'Customers', de: 'Kunden' },
  'customers.count': {
    en: { one: '{count} customer', other: '{count} customers' },
    de: { one: '{count} Kunde', other: '{count} Kunden' },
  },
  'matches.count': {
    en: { one: '{count} match', other: '{count} matches' },
    de: { one: '{count} Treffer', other: '{count} Treffer' },
  },
  skip: { en: 'Skip to the content', de: 'Zum Inhalt springen' },

  'search.label': { en: 'Search customers', de: 'Kunden suchen' },
  'search.placeholder': {
    en: 'Name, e-mail, phone, company',
    de: 'Name, E-Mail, Telefon, Firma',
  },
  'search.clear': { en: 'Clear the search', de: 'Suche leeren' },
  'search.open': { en: 'opens {name}', de: 'öffnet {name}' },
  'search.tooLong': {
    en: 'Only the first 256 characters are searched.',
    de: 'Nur die ersten 256 Zeichen werden gesucht.',
  },

  'column.name': { en: 'Name', de: 'Name' },
  'column.company': { en: 'Company', de: 'Firma' },
  'column.email': { en: 'E-mail', de: 'E-Mail' },
  'column.phone': { en: 'Phone', de: 'Telefon' },
  'column.verified': { en: 'Verified', de: 'Geprüft' },
  'column.orders': { en: 'Orders', de: 'Aufträge' },
  'column.value': { en: 'Lifetime value', de: 'Gesamtumsatz' },
  'column.lastOrder': { en: 'Last order', de: 'Letzter Auftrag' },
  'column.since': { en: 'Customer since', de: 'Kunde seit' },

  'value.none': { en: 'none', de: 'keine' },
  'value.noCompany': { en: 'no company', de: 'keine Firma' },
  'value.noPhone': { en: 'no phone', de: 'kein Telefon' },
  'value.noOrder': { en: 'no order yet', de: 'noch kein Auftrag' },
  'value.verified': { en: 'Verified', de: 'Geprüft' },
  'value.unverified': { en: 'Not verified', de: 'Nicht geprüft' },

  'page.range': { en: '{from}–{to} of {total}', de: '{from}–{to} von {total}' },
  'page.of': { en: 'of {count}', de: 'von {count}' },
  'page.label': { en: 'Page', de: 'Seite' },
  'page.previous': { en: 'Previous page', de: 'Vorige Seite' },
  'page.next': { en: 'Next page', de: 'Nächste Seite' },
  'page.size': { en: 'Rows per page', de: 'Zeilen je Seite' },
  'page.pages': { en: 'Pages', de: 'Seiten' },

  view: { en: 'View', de: 'Ansicht' },
  'view.columns': { en: 'Columns', de: 'Spalten' },
  'view.density': { en: 'Rows', de: 'Zeilen' },
  'view.regular': { en: 'Comfortable', de: 'Normal' },
  'view.dense': { en: 'Dense', de: 'Dicht' },
  'view.theme': { en: 'Colours', de: 'Farben' },
  'view.system': { en: 'As the system', de: 'Wie das System' },
  'view.light': { en: 'Light', de: 'Hell' },
  'view.dark': { en: 'Dark', de: 'Dunkel' },
  'view.language': { en: 'Language', de: 'Sprache' },

  'fresh.updated': { en: 'Updated {when}', de: 'Stand {when}' },
  'fresh.now': { en: 'just now', de: 'gerade eben' },
  'fresh.loading': { en: 'Loading…', de: 'Lädt…' },
  'fresh.slow': { en: 'Still trying…', de: 'Noch ein Versuch…' },
  refresh: { en: 'Refresh', de: 'Aktualisieren' },

  'customer.label': { en: 'Customer', de: 'Kunde' },
  'customer.close': { en: 'Close', de: 'Schließen' },
  'customer.previous': { en: 'Previous customer', de: 'Voriger Kunde' },
  'customer.next': { en: 'Next customer', de: 'Nächster Kunde' },
  'customer.alone': { en: 'Open on its own page', de: 'Auf eigener Seite öffnen' },
  'customer.back': { en: 'Back to the list', de: 'Zurück zur Liste' },
  'customer.contact': { en: 'Contact', de: 'Kontakt' },
  'customer.history': { en: 'History', de: 'Verlauf' },
  'customer.id': { en: 'Identifier', de: 'Kennung' },
  'customer.average': { en: 'Average order', de: 'Ø Auftrag' },
  'copy.email': { en: 'Copy e-mail', de: 'E-Mail kopieren' },
  'copy.phone': { en: 'Copy phone', de: 'Telefon kopieren' },
  'copy.id': { en: 'Copy identifier', de: 'Kennung kopieren' },
  'copy.done': { en: 'Copied: {value}', de: 'Kopiert: {value}' },
  'copy.failed': {
    en: 'The browser did not allow copying.',
    de: 'Der Browser hat das Kopieren nicht erlaubt.',
  },

  'keys.title': { en: 'Keyboard', de: 'Tastatur' },
  'keys.search': { en: 'Search', de: 'Suchen' },
  'keys.move': { en: 'Next and previous customer', de: 'Nächster und voriger Kunde' },
  'keys.open': {
    en: 'Open the customer, or the only match',
    de: 'Kunden öffnen, oder den einzigen Treffer',
  },
  'keys.close': { en: 'Close, or clear the search', de: 'Schließen, oder Suche leeren' },
  'keys.pages': { en: 'Previous and next page', de: 'Vorige und nächste Seite' },
  'keys.copy': {
    en: 'Copy e-mail, phone, identifier',
    de: 'E-Mail, Telefon, Kennung kopieren',
  },
  'keys.refresh': { en: 'Refresh', de: 'Aktualisieren' },
  'keys.help': { en: 'This list', de: 'Diese Liste' },
  'keys.letters': {
    en: 'Use single keys as commands',
    de: 'Einzelne Tasten als Befehle verwenden',
  },
  'keys.lettersWhy': {
    en: 'Switch this off if you dictate text or use a screen reader’s own keys.',
    de: 'Abschalten, wenn Sie diktieren oder die Tasten eines Vorleseprogramms brauchen.',
  },

  export: { en: 'Export', de: 'Export' },
  'export.title': { en: 'Export as CSV', de: 'Als CSV exportieren' },
  'export.all': {
    en: { one: '{count} customer, all there are.', other: '{count} customers, all there are.' },
    de: { one: '{count} Kunde, also alle.', other: '{count} Kunden, also alle.' },
  },
  'export.matching': {
    en: {
      one: '{count} customer that matches “{search}”.',
      other: '{count} customers that match “{search}”.',
    },
    de: {
      one: '{count} Kunde, der zu „{search}“ passt.',
      other: '{count} Kunden, die zu „{search}“ passen.',
    },
  },
  'export.how': {
    en: 'UTF-8 with a header. Cells that a spreadsheet would run as a formula start with an apostrophe.',
    de: 'UTF-8 mit Kopfzeile. Zellen, die eine Tabelle als Formel ausführen würde, beginnen mit einem Apostroph.',
  },
  'export.start': { en: 'Export', de: 'Exportieren' },
  'export.cancel': { en: 'Cancel', de: 'Abbrechen' },
  'export.progress': { en: '{done} of {total}', de: '{done} von {total}' },
  'export.waiting': {
    en: 'The service asks for a pause; going on in {seconds} s.',
    de: 'Der Dienst bittet um eine Pause; weiter in {seconds} s.',
  },
  'export.done': {
    en: { one: '{count} customer exported.', other: '{count} customers exported.' },
    de: { one: '{count} Kunde exportiert.', other: '{count} Kunden exportiert.' },
  },
  'export.changed': {
    en: 'The list changed meanwhile: it now has {total}.',
    de: 'Die Liste hat sich inzwischen geändert: Sie hat jetzt {total}.',
  },
  'export.failed': {
    en: 'The export stopped after {done} of {total}. Nothing was saved.',
    de: 'Der Export brach nach {done} von {total} ab. Es wurde nichts gespeichert.',
  },
  'export.again': { en: 'Try again', de: 'Noch einmal' },

  'signIn.title': { en: 'Sign in', de: 'Anmelden' },
  'signIn.key': { en: 'Access key', de: 'Zugangsschlüssel' },
  'signIn.hint': {
    en: 'It starts with ck_. Whoever runs Clientele for you makes one with: clientele keys create',
    de: 'Er beginnt mit ck_. Wer Clientele für Sie betreibt, macht einen mit: clientele keys create',
  },
  'signIn.button': { en: 'Sign in', de: 'Anmelden' },
  'signIn.wrong': {
    en: 'This key is not valid. Was all of it pasted?',
    de: 'Dieser Schlüssel gilt nicht. Wurde er ganz eingefügt?',
  },
  'signIn.tooMany': {
    en: 'Too many tries. Wait {seconds} seconds.',
    de: 'Zu viele Versuche. Warten Sie {seconds} Sekunden.',
  },
  'signIn.ended': {
    en: 'Your session has ended. Sign in to go on where you were.',
    de: 'Ihre Sitzung ist zu Ende. Melden Sie sich an, um dort weiterzumachen.',
  },
  'signIn.insecure': {
    en: 'This page was opened without TLS, so the browser will not keep you signed in. Use https://.',
    de: 'Diese Seite wurde ohne TLS geöffnet, daher bleibt die Anmeldung nicht erhalten. Nutzen Sie https://.',
  },
  'signIn.out': { en: 'You are signed out.', de: 'Sie sind abgemeldet.' },
  'signIn.outHere': {
    en: 'You are signed out here, but the service could not write it down: the session ends by itself within 30 minutes.',
    de: 'Sie sind hier abgemeldet, aber der Dienst konnte es nicht festhalten: Die Sitzung endet von selbst binnen 30 Minuten.',
  },
  signOut: { en: 'Sign out', de: 'Abmelden' },
  'session.signedInAs': { en: 'Signed in with', de: 'Angemeldet mit' },
  'session.open': { en: 'No sign-in needed', de: 'Ohne Anmeldung' },

  'problem.empty.title': { en: 'No customers yet', de: 'Noch keine Kunden' },
  'problem.empty.text': {
    en: 'The directory is empty. Customers appear here once they are imported: clientele import',
    de: 'Das Verzeichnis ist leer. Kunden erscheinen hier nach dem Import: clientele import',
  },
  'problem.noMatch.title': { en: 'Nobody matches', de: 'Niemand passt' },
  'problem.noMatch.text': {
    en: 'No customer matches “{search}”. Every word must be found in the name, e-mail, company or phone: try fewer words or only their beginnings.',
    de: 'Kein Kunde passt zu „{search}“. Jedes Wort muss in Name, E-Mail, Firma oder Telefon stehen: Versuchen Sie weniger Wörter oder nur deren Anfänge.',
  },
  'problem.pastEnd.title': { en: 'Past the last page', de: 'Hinter der letzten Seite' },
  'problem.pastEnd.text': {
    en: 'There is no page {page}; the last one is {last}.',
    de: 'Es gibt keine Seite {page}; die letzte ist {last}.',
  },
  'problem.pastEnd.action': { en: 'Go to the last page', de: 'Zur letzten Seite' },
  'problem.offline.title': { en: 'You are offline', de: 'Sie sind offline' },
  'problem.offline.text': {
    en: 'This device has no connection. The list loads by itself when it is back.',
    de: 'Dieses Gerät hat keine Verbindung. Die Liste lädt von selbst, sobald sie wieder da ist.',
  },
  'problem.unreachable.title': {
    en: 'The service does not answer',
    de: 'Der Dienst antwortet nicht',
  },
  'problem.unreachable.text': {
    en: 'The connection failed before there was an answer. If others have it too, tell whoever runs Clientele.',
    de: 'Die Verbindung brach vor einer Antwort ab. Wenn es anderen auch so geht, sagen Sie es dem Betreiber.',
  },
  'problem.overloaded.title': { en: 'Too much is going on', de: 'Zu viel los' },
  'problem.overloaded.text': {
    en: 'The service has more to do than it can. Nothing is lost; wait a moment and try again.',
    de: 'Der Dienst hat mehr zu tun, als er schafft. Nichts ist verloren; warten Sie kurz und versuchen Sie es wieder.',
  },
  'problem.rateLimited.title': { en: 'A short pause, please', de: 'Eine kurze Pause, bitte' },
  'problem.rateLimited.text': {
    en: 'This key has asked as often as it may in a minute. Try again in {seconds} seconds.',
    de: 'Dieser Schlüssel hat in einer Minute so oft gefragt, wie er darf. Versuchen Sie es in {seconds} Sekunden wieder.',
  },
  'problem.timeout.title': { en: 'That took too long', de: 'Das hat zu lange gedauert' },
  'problem.timeout.text': {
    en: 'The search was given up. A longer search text is quicker.',
    de: 'Die Suche wurde aufgegeben. Ein längerer Suchtext ist schneller.',
  },
  'problem.forbidden.title': { en: 'Not with this key', de: 'Nicht mit diesem Schlüssel' },
  'problem.forbidden.text': {
    en: 'The key you signed in with may not do this. Ask whoever made it for one that may.',
    de: 'Der Schlüssel, mit dem Sie angemeldet sind, darf das nicht. Bitten Sie um einen, der es darf.',
  },
  'problem.badSearch.title': {
    en: 'This cannot be searched for',
    de: 'Danach kann nicht gesucht werden',
  },
  'problem.badSearch.text': {
    en: 'The search is too long or has more than eight words.',
    de: 'Die Suche ist zu lang oder hat mehr als acht Wörter.',
  },
  'problem.notFound.title': { en: 'No such customer', de: 'Diesen Kunden gibt es nicht' },
  'problem.notFound.text': {
    en: 'No customer has this identifier. They may have been erased, or the address was cut short.',
    de: 'Kein Kunde hat diese Kennung. Vielleicht wurde er gelöscht, oder die Adresse wurde abgeschnitten.',
  },
  'problem.noPage.title': { en: 'Nothing here', de: 'Hier ist nichts' },
  'problem.noPage.text': {
    en: 'This address is none of the console’s.',
    de: 'Diese Adresse gehört nicht zur Konsole.',
  },
  'problem.bug.title': { en: 'Something is wrong', de: 'Etwas stimmt nicht' },
  'problem.bug.text': {
    en: 'This is a fault of ours. Quote the request to whoever runs Clientele.',
    de: 'Das ist unser Fehler. Nennen Sie dem Betreiber die Anfrage.',
  },
  'problem.request': { en: 'Request', de: 'Anfrage' },
  'problem.retry': { en: 'Try again', de: 'Noch einmal' },
  'problem.stale': {
    en: 'These rows are from {when}: {reason}.',
    de: 'Diese Zeilen sind von {when}: {reason}.',
  },
} as const satisfies Record<string, Record<Language, Message>>;

export type Message = string | { one: string; other: string };
export type MessageName = keyof typeof messages;
