/** All texts of the console, in both languages. `{name}` is replaced by a value. */
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
  'matches.counting': { en: 'Counting…', de: 'Wird gezählt …' },
  skip: {
    en: 'Skip to content',
    de: 'Zum Inhalt springen',
  },

  'search.label': { en: 'Search customers', de: 'Kunden suchen' },
  'search.placeholder': {
    en: 'Name, e-mail, phone, company',
    de: 'Name, E-Mail, Telefon, Firma',
  },
  'search.placeholderMasked': { en: 'Name, company', de: 'Name, Firma' },
  'search.clear': {
    en: 'Clear search',
    de: 'Suche leeren',
  },
  'search.open': { en: 'opens {name}', de: 'öffnet {name}' },
  'search.suggested': { en: 'searches for {search}', de: 'sucht nach {search}' },
  'search.tooLong': {
    en: 'Only the first 256 characters are searched.',
    de: 'Gesucht wird nur nach den ersten 256 Zeichen.',
  },

  filter: { en: 'Filter', de: 'Filter' },
  'filter.orders': { en: 'Has orders', de: 'Mit Bestellungen' },
  'filter.noOrders': { en: 'No orders', de: 'Ohne Bestellungen' },
  'filter.joined': { en: 'Joined {period}', de: 'Kunde geworden: {period}' },
  'filter.joinedFrom': { en: 'Joined since {day}', de: 'Kunde geworden ab {day}' },
  'filter.joinedTo': { en: 'Joined until {day}', de: 'Kunde geworden bis {day}' },
  'filter.joinedBefore': { en: 'Joined before {day}', de: 'Kunde geworden vor {day}' },
  'filter.joinedBetween': { en: 'Joined between', de: 'Kunde geworden zwischen' },
  'filter.last7Days': { en: 'Last 7 days', de: 'Letzte 7 Tage' },
  'filter.last30Days': { en: 'Last 30 days', de: 'Letzte 30 Tage' },
  'filter.lastMonth': { en: 'Last month', de: 'Letzter Monat' },
  'filter.thisYear': { en: 'This year', de: 'Dieses Jahr' },
  'filter.firstDay': { en: 'First day', de: 'Erster Tag' },
  'filter.lastDay': { en: 'Last day', de: 'Letzter Tag' },
  'filter.apply': { en: 'Apply', de: 'Anwenden' },
  'filter.utc': { en: 'Both days included, in UTC.', de: 'Beide Tage eingeschlossen, in UTC.' },
  'filter.active': { en: 'Active filters', de: 'Aktive Filter' },
  'filter.remove': { en: 'Remove filter: {filter}', de: 'Filter entfernen: {filter}' },
  'filter.clear': { en: 'Clear filters', de: 'Filter entfernen' },
  'filter.are': { en: 'Filters: {filters}.', de: 'Filter: {filters}.' },

  'timeline.label': { en: 'When they joined', de: 'Kunde geworden' },
  'timeline.count': {
    en: { one: '{period}: {count} customer', other: '{period}: {count} customers' },
    de: { one: '{period}: {count} Kunde', other: '{period}: {count} Kunden' },
  },
  'timeline.about': {
    en: { one: '{period}: about {count} customer', other: '{period}: about {count} customers' },
    de: { one: '{period}: etwa {count} Kunde', other: '{period}: etwa {count} Kunden' },
  },
  'timeline.page': { en: '{count}. Page {page}', de: '{count}. Seite {page}' },
  'timeline.summary': {
    en: 'Joined from {first} to {last}, most of them in {most}. This page: {here}.',
    de: 'Kunden geworden von {first} bis {last}, die meisten: {most}. Diese Seite: {here}.',
  },
  'timeline.summarySorted': {
    en: 'Joined from {first} to {last}, most of them in {most}.',
    de: 'Kunden geworden von {first} bis {last}, die meisten: {most}.',
  },
  'timeline.helpSorted': {
    en: 'Arrow keys move along the periods, Shift and arrow keys select a range, Enter filters by it.',
    de: 'Pfeiltasten gehen durch die Zeiträume, Umschalttaste und Pfeiltasten wählen mehrere aus, Enter filtert danach.',
  },
  'timeline.help': {
    en: 'Arrow keys move along the periods, Enter goes to the page, Shift and arrow keys select a range.',
    de: 'Pfeiltasten gehen durch die Zeiträume, Enter zur Seite, Umschalttaste und Pfeiltasten wählen mehrere aus.',
  },

  // By the names of customers/columns.tsx.
  'column.name': { en: 'Name', de: 'Name' },
  'column.company': { en: 'Company', de: 'Firma' },
  'column.email': { en: 'E-mail', de: 'E-Mail' },
  'column.phone': { en: 'Phone', de: 'Telefon' },
  'column.id': { en: 'Identifier', de: 'Kennung' },
  'column.isVerified': { en: 'Verified', de: 'Verifiziert' },
  'column.totalOrders': { en: 'Orders', de: 'Bestellungen' },
  'column.lifetimeValue': { en: 'Lifetime value', de: 'Gesamtumsatz' },
  'column.averageOrder': { en: 'Average order', de: 'Ø Bestellwert' },
  'column.lastOrderAt': { en: 'Last order', de: 'Letzte Bestellung' },
  'column.createdAt': { en: 'Customer since', de: 'Kunde seit' },

  'sort.by': { en: 'Sort by {column}', de: 'Nach {column} sortieren' },
  'order.label': { en: 'Order', de: 'Reihenfolge' },
  'order.reset': { en: 'Back to newest first', de: 'Zurück zu: neueste zuerst' },
  'order.more': {
    en: 'Your administrator can enable other orders, with the command clientele prepare sort.',
    de: 'Ihr Administrator kann weitere Reihenfolgen einschalten, mit dem Befehl clientele prepare sort.',
  },
  'order.-created_at': { en: 'Newest first', de: 'Neueste zuerst' },
  'order.created_at': { en: 'Oldest first', de: 'Älteste zuerst' },
  'order.-lifetime_value_cents': { en: 'Highest value first', de: 'Höchster Umsatz zuerst' },
  'order.lifetime_value_cents': { en: 'Lowest value first', de: 'Niedrigster Umsatz zuerst' },
  'order.-total_orders': { en: 'Most orders first', de: 'Meiste Bestellungen zuerst' },
  'order.total_orders': { en: 'Fewest orders first', de: 'Wenigste Bestellungen zuerst' },
  'order.-last_order_at': { en: 'Latest order first', de: 'Letzte Bestellung zuerst' },
  'order.last_order_at': { en: 'Earliest order first', de: 'Früheste Bestellung zuerst' },
  'sort.newest': { en: 'Newest first', de: 'Neueste zuerst' },

  'value.none': { en: 'none', de: 'keine Angabe' },
  'value.noCompany': { en: 'no company', de: 'keine Firma' },
  'value.noPhone': { en: 'no phone', de: 'kein Telefon' },
  'value.noOrder': { en: 'no order yet', de: 'noch keine Bestellung' },
  'value.hidden': { en: 'hidden', de: 'verborgen' },
  'value.hiddenWhy': {
    en: 'Contact details are hidden: your access does not include them.',
    de: 'Kontaktdaten sind verborgen: Ihr Zugang umfasst sie nicht.',
  },
  'value.verified': { en: 'Verified', de: 'Verifiziert' },
  'value.unverified': { en: 'Not verified', de: 'Nicht verifiziert' },

  'page.rows': { en: '{from}–{to}', de: '{from}–{to}' },
  'page.range': { en: '{from}–{to} of {total}', de: '{from}–{to} von {total}' },
  'page.of': { en: 'of {count}', de: 'von {count}' },
  'page.label': { en: 'Page', de: 'Seite' },
  'page.previous': { en: 'Previous page', de: 'Vorherige Seite' },
  'page.next': { en: 'Next page', de: 'Nächste Seite' },
  'page.size': { en: 'Rows per page', de: 'Zeilen je Seite' },
  'page.pages': { en: 'Pages', de: 'Seiten' },

  view: { en: 'View', de: 'Ansicht' },
  'view.columns': { en: 'Columns', de: 'Spalten' },
  'view.density': {
    en: 'Row height',
    de: 'Zeilenhöhe',
  },
  'view.regular': { en: 'Comfortable', de: 'Normal' },
  'view.dense': {
    en: 'Compact',
    de: 'Kompakt',
  },
  'view.theme': {
    en: 'Theme',
    de: 'Farbschema',
  },
  'view.system': {
    en: 'System',
    de: 'System',
  },
  'view.light': { en: 'Light', de: 'Hell' },
  'view.dark': { en: 'Dark', de: 'Dunkel' },
  'view.language': { en: 'Language', de: 'Sprache' },

  'fresh.updated': {
    en: 'Updated {when}',
    de: 'Aktualisiert {when}',
  },
  'fresh.asOf': { en: 'Data as of {time}', de: 'Stand der Daten: {time}' },
  'fresh.unknown': { en: 'Age of the data unknown', de: 'Alter der Daten unbekannt' },
  'fresh.now': { en: 'just now', de: 'gerade eben' },
  'fresh.loading': { en: 'Loading…', de: 'Lädt …' },
  'fresh.slow': { en: 'Still loading…', de: 'Lädt noch …' },
  'fresh.retrying': {
    en: 'Request failed. Retrying…',
    de: 'Anfrage fehlgeschlagen. Neuer Versuch …',
  },
  'list.previous': { en: 'Previous search: “{search}”', de: 'Vorherige Suche: „{search}“' },
  'list.previousAll': { en: 'Previous list: all customers', de: 'Vorherige Liste: alle Kunden' },
  'list.previousFilters': { en: 'Previous filters', de: 'Vorherige Filter' },
  'list.previousOrder': { en: 'Previous order', de: 'Vorherige Sortierung' },
  'list.titlePage': { en: '{search}, page {page}', de: '{search}, Seite {page}' },
  refresh: { en: 'Refresh', de: 'Aktualisieren' },

  'customer.label': { en: 'Customer', de: 'Kunde' },
  close: { en: 'Close', de: 'Schließen' },
  'customer.previous': { en: 'Previous customer', de: 'Vorheriger Kunde' },
  'customer.next': { en: 'Next customer', de: 'Nächster Kunde' },
  'customer.alone': { en: 'Open on its own page', de: 'Auf eigener Seite öffnen' },
  'customer.back': { en: 'Back to the list', de: 'Zurück zur Liste' },
  'copy.email': { en: 'Copy e-mail', de: 'E-Mail kopieren' },
  'copy.phone': { en: 'Copy phone number', de: 'Telefonnummer kopieren' },
  'copy.id': { en: 'Copy identifier', de: 'Kennung kopieren' },
  'copy.noPhone': {
    en: 'No phone number. Nothing was copied.',
    de: 'Keine Telefonnummer. Nichts wurde kopiert.',
  },
  'copy.hidden': { en: 'Hidden. Nothing was copied.', de: 'Verborgen. Nichts wurde kopiert.' },
  'copy.done': { en: 'Copied: {value}', de: 'Kopiert: {value}' },
  'copy.failed': {
    en: 'The browser did not allow copying.',
    de: 'Der Browser hat das Kopieren nicht erlaubt.',
  },

  'copy.short': { en: 'Copied', de: 'Kopiert' },
  'copy.all': { en: 'Copy all', de: 'Alles kopieren' },
  'copy.link': { en: 'Copy link', de: 'Link kopieren' },
  'customer.link': { en: 'Link', de: 'Link' },
  'value.yes': { en: 'yes', de: 'ja' },
  'value.no': { en: 'no', de: 'nein' },
  'view.noRoom': { en: 'no room here', de: 'hier kein Platz' },

  'related.domain': { en: 'E-mail domain', de: 'E-Mail-Domain' },
  'related.company': { en: 'Customers of this company', de: 'Kunden dieser Firma' },
  'related.byDomain': {
    en: 'Customers of this e-mail domain',
    de: 'Kunden dieser E-Mail-Domain',
  },
  'related.duplicates': { en: 'Possible duplicates', de: 'Mögliche Dubletten' },
  'related.none': { en: 'none found', de: 'keine gefunden' },
  'related.failed': { en: 'could not be checked', de: 'konnte nicht geprüft werden' },
  'related.sameEmail': { en: 'same e-mail', de: 'gleiche E-Mail' },
  'related.sameName': { en: 'same name and company', de: 'gleicher Name, gleiche Firma' },
  'related.samePhone': { en: 'same phone number', de: 'gleiche Telefonnummer' },
  'related.maybeMore': {
    en: 'Only the first matches were checked.',
    de: 'Nur die ersten Treffer wurden geprüft.',
  },

  'select.label': { en: 'Selection', de: 'Auswahl' },
  'select.row': { en: 'Select {name}', de: '{name} auswählen' },
  'select.page': { en: 'Select all rows on this page', de: 'Alle Zeilen der Seite auswählen' },
  'select.count': {
    en: { one: '{count} selected', other: '{count} selected' },
    de: { one: '{count} ausgewählt', other: '{count} ausgewählt' },
  },
  'select.copyEmails': { en: 'Copy e-mails', de: 'E-Mails kopieren' },
  'select.export': { en: 'Export selection', de: 'Auswahl exportieren' },
  'select.compare': { en: 'Compare', de: 'Vergleichen' },
  'select.compareWhy': {
    en: 'Select two to four customers to compare them.',
    de: 'Wählen Sie zwei bis vier Kunden aus, um sie zu vergleichen.',
  },
  'select.clear': { en: 'Clear selection', de: 'Auswahl aufheben' },
  'compare.title': { en: 'Compare customers', de: 'Kunden vergleichen' },
  'compare.same': { en: 'same', de: 'gleich' },
  'compare.differs': { en: 'different', de: 'verschieden' },
  'export.selected': {
    en: { one: '{count} selected customer.', other: '{count} selected customers.' },
    de: { one: '{count} ausgewählter Kunde.', other: '{count} ausgewählte Kunden.' },
  },
  'csv.format': { en: 'Format', de: 'Format' },
  'csv.spreadsheet': { en: 'For spreadsheets', de: 'Für Tabellenkalkulationen' },
  'csv.spreadsheetWhy': {
    en: 'Phone numbers, and text that could run as a formula, get an apostrophe, so that they stay text.',
    de: 'Telefonnummern und Text, der als Formel ausgeführt werden könnte, bekommen einen Apostroph, damit sie Text bleiben.',
  },
  'csv.raw': { en: 'Raw, for other programs', de: 'Unverändert, für andere Programme' },
  'csv.rawWhy': {
    en: 'Every value unchanged, UTF-8. Do not open this file in a spreadsheet.',
    de: 'Alle Werte unverändert, UTF-8. Öffnen Sie diese Datei nicht in einer Tabellenkalkulation.',
  },

  'palette.label': { en: 'Go to', de: 'Gehe zu' },
  'palette.placeholder': {
    en: 'Customer, search or command',
    de: 'Kunde, Suche oder Befehl',
  },
  'palette.recent': { en: 'Recent customers', de: 'Zuletzt geöffnete Kunden' },
  'palette.pinned': { en: 'Pinned lists', de: 'Angeheftete Listen' },
  'palette.commands': { en: 'Commands', de: 'Befehle' },
  'palette.search': { en: 'Search', de: 'Suche' },
  'palette.searchFor': { en: 'Search for “{search}”', de: 'Nach „{search}“ suchen' },
  'palette.pin': { en: 'Pin “{list}”', de: '„{list}“ anheften' },
  'palette.unpin': { en: 'Unpin “{list}”', de: '„{list}“ lösen' },
  'palette.all': { en: 'All customers', de: 'Alle Kunden' },
  'palette.dark': { en: 'Dark theme', de: 'Dunkles Farbschema' },
  'palette.light': { en: 'Light theme', de: 'Helles Farbschema' },
  'palette.dense': { en: 'Compact rows', de: 'Kompakte Zeilen' },
  'palette.regular': { en: 'Comfortable rows', de: 'Normale Zeilen' },
  'palette.language': { en: 'Deutsch', de: 'English' },

  'key.ctrl': { en: 'Ctrl', de: 'Strg' },
  'key.space': { en: 'Space', de: 'Leertaste' },
  'keys.inList': { en: 'List', de: 'Liste' },
  'keys.inTimeline': { en: 'Timeline', de: 'Zeitleiste' },
  'keys.period': { en: 'Earlier and later period', de: 'Früherer und späterer Zeitraum' },
  'keys.periodPage': { en: 'Go to the page of the period', de: 'Zur Seite des Zeitraums' },
  'keys.periodRange': {
    en: 'Select periods; Enter filters by them',
    de: 'Zeiträume auswählen; Enter filtert danach',
  },
  'keys.order': { en: 'Change the order', de: 'Reihenfolge ändern' },
  'keys.edges': {
    en: 'First and last row, ten rows on',
    de: 'Erste und letzte Zeile, zehn Zeilen weiter',
  },
  'keys.filter': { en: 'Filter the list', de: 'Liste filtern' },
  'keys.inCustomer': { en: 'While a customer is open', de: 'Bei geöffnetem Kunden' },
  'keys.inSelection': { en: 'Selection', de: 'Auswahl' },
  'keys.palette': {
    en: 'Go to a customer, a search or a command',
    de: 'Gehe zu Kunde, Suche oder Befehl',
  },
  'keys.links': { en: 'Open a link to another system', de: 'Link zu einem anderen System öffnen' },
  'keys.copyMore': { en: 'Copy everything, copy a link', de: 'Alles kopieren, Link kopieren' },
  'keys.related': {
    en: 'Customers of the company, of the e-mail domain',
    de: 'Kunden der Firma, der E-Mail-Domain',
  },
  'keys.select': { en: 'Select the row', de: 'Zeile auswählen' },
  'keys.selectMore': { en: 'Extend the selection', de: 'Auswahl erweitern' },
  'keys.useSelection': {
    en: 'Copy e-mails, export the selection',
    de: 'E-Mails kopieren, Auswahl exportieren',
  },
  'keys.compare': { en: 'Compare two to four customers', de: 'Zwei bis vier Kunden vergleichen' },

  'keys.title': {
    en: 'Keyboard shortcuts',
    de: 'Tastenkürzel',
  },
  'keys.search': { en: 'Search', de: 'Suchen' },
  'keys.move': { en: 'Next and previous customer', de: 'Nächster und vorheriger Kunde' },
  'keys.open': {
    en: 'Open the customer, or the only match',
    de: 'Kunden oder einzigen Treffer öffnen',
  },
  'keys.close': {
    en: 'Close, or clear the search',
    de: 'Schließen oder Suche leeren',
  },
  'keys.pages': { en: 'Previous and next page', de: 'Vorherige und nächste Seite' },
  'keys.copy': {
    en: 'Copy e-mail, phone, identifier',
    de: 'E-Mail, Telefon, Kennung kopieren',
  },
  'keys.suggestion': {
    en: 'Use the first suggestion (↵ in the search field)',
    de: 'Ersten Vorschlag verwenden (↵ im Suchfeld)',
  },
  'keys.refresh': { en: 'Refresh', de: 'Aktualisieren' },
  'keys.help': {
    en: 'Show this list',
    de: 'Diese Liste anzeigen',
  },
  'keys.letters': {
    en: 'Use single keys as commands',
    de: 'Einzelne Tasten als Befehle verwenden',
  },
  'keys.lettersWhy': {
    en: 'Turn this off if you dictate text or your screen reader uses these keys.',
    de: 'Schalten Sie dies aus, wenn Sie diktieren oder Ihr Screenreader diese Tasten belegt.',
  },
  'keys.guide': {
    en: 'Guide to the console (new window)',
    de: 'Anleitung zur Konsole (neues Fenster)',
  },

  export: { en: 'Export', de: 'Export' },
  'export.title': { en: 'Export as CSV', de: 'Als CSV exportieren' },
  'export.all': {
    en: { one: '{count} customer.', other: 'All {count} customers.' },
    de: { one: '{count} Kunde.', other: 'Alle {count} Kunden.' },
  },
  'export.matching': {
    en: {
      one: '{count} customer matching “{search}”.',
      other: '{count} customers matching “{search}”.',
    },
    de: {
      one: '{count} Kunde, der zu „{search}“ passt.',
      other: '{count} Kunden, die zu „{search}“ passen.',
    },
  },
  'export.filtered': {
    en: { one: '{count} customer.', other: '{count} customers.' },
    de: { one: '{count} Kunde.', other: '{count} Kunden.' },
  },
  'export.start': { en: 'Export', de: 'Exportieren' },
  'export.cancel': { en: 'Cancel', de: 'Abbrechen' },
  'export.progress': { en: '{done} of {total}', de: '{done} von {total}' },
  'export.waiting': {
    en: 'Paused at the server’s request. Resuming in {seconds} s.',
    de: 'Der Server bittet um eine Pause. Weiter in {seconds} s.',
  },
  'export.done': {
    en: { one: '{count} customer exported.', other: '{count} customers exported.' },
    de: { one: '{count} Kunde exportiert.', other: '{count} Kunden exportiert.' },
  },
  'export.changed': {
    en: {
      one: 'The list changed during the export. It now has {count} customer.',
      other: 'The list changed during the export. It now has {count} customers.',
    },
    de: {
      one: 'Die Liste hat sich während des Exports geändert. Sie enthält jetzt {count} Kunden.',
      other: 'Die Liste hat sich während des Exports geändert. Sie enthält jetzt {count} Kunden.',
    },
  },
  'export.failed': {
    en: 'The export stopped after {done} of {total} customers. Nothing was saved.',
    de: 'Der Export ist nach {done} von {total} Kunden abgebrochen. Es wurde nichts gespeichert.',
  },

  'signIn.title': { en: 'Sign in', de: 'Anmelden' },
  'signIn.key': { en: 'Access key', de: 'Zugangsschlüssel' },
  'signIn.hint': {
    en: 'Keys start with ck_. Your administrator gives you one. A password manager can fill it in.',
    de: 'Schlüssel beginnen mit ck_. Ihr Administrator gibt Ihnen einen. Ein Passwortmanager kann ihn eintragen.',
  },
  'signIn.button': { en: 'Sign in', de: 'Anmelden' },
  'signIn.with': { en: 'Sign in with {provider}', de: 'Mit {provider} anmelden' },
  'signIn.keyInstead': {
    en: 'Use an access key instead',
    de: 'Stattdessen einen Zugangsschlüssel verwenden',
  },
  'signIn.refusal.cancelled': {
    en: 'The sign-in was cancelled.',
    de: 'Die Anmeldung wurde abgebrochen.',
  },
  'signIn.refusal.disabled': {
    en: 'Your access to Clientele is disabled. Ask your administrator to enable it.',
    de: 'Ihr Zugang zu Clientele ist gesperrt. Bitten Sie Ihren Administrator, ihn freizugeben.',
  },
  'signIn.refusal.expired': {
    en: 'The sign-in took too long, or was started in another browser. Try again.',
    de: 'Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Versuchen Sie es erneut.',
  },
  'signIn.refusal.invalid': {
    en: 'The response of {provider} was not valid. Try again. If that does not help, ask your administrator to look at the server’s log.',
    de: 'Die Antwort von {provider} war nicht gültig. Versuchen Sie es erneut. Wenn das nicht hilft, bitten Sie Ihren Administrator, das Serverprotokoll zu prüfen.',
  },
  'signIn.refusal.no-groups': {
    en: '{provider} does not say which groups you belong to. Your administrator has to set up that claim for Clientele.',
    de: '{provider} teilt nicht mit, zu welchen Gruppen Sie gehören. Ihr Administrator muss diese Angabe für Clientele einrichten.',
  },
  'signIn.refusal.no-role': {
    en: 'None of your groups has a role in Clientele. Ask your administrator to add you to a group that has one, then sign in again.',
    de: 'Keine Ihrer Gruppen hat eine Rolle in Clientele. Bitten Sie Ihren Administrator, Sie in eine Gruppe mit einer Rolle aufzunehmen, und melden Sie sich erneut an.',
  },
  'signIn.refusal.provider-unavailable': {
    en: '{provider} does not respond. People who are signed in can continue to work. Try again in a minute.',
    de: '{provider} antwortet nicht. Wer angemeldet ist, kann weiterarbeiten. Versuchen Sie es in einer Minute erneut.',
  },
  'signIn.refusal.unavailable': {
    en: 'The server could not start a session. Try again in a minute.',
    de: 'Der Server konnte keine Sitzung beginnen. Versuchen Sie es in einer Minute erneut.',
  },
  'signIn.wrong': {
    en: 'This key is not valid. Check that you pasted the whole key.',
    de: 'Dieser Schlüssel ist ungültig. Prüfen Sie, ob Sie ihn vollständig eingefügt haben.',
  },
  'signIn.tooMany': { en: 'Too many attempts.', de: 'Zu viele Versuche.' },
  'signIn.wait': {
    en: { one: 'Wait {count} second.', other: 'Wait {count} seconds.' },
    de: { one: 'Warten Sie {count} Sekunde.', other: 'Warten Sie {count} Sekunden.' },
  },
  'signIn.ended': {
    en: 'Your session has ended. Sign in to continue where you left off.',
    de: 'Ihre Sitzung ist beendet. Melden Sie sich an, um an derselben Stelle weiterzuarbeiten.',
  },
  'signIn.insecure': {
    en: 'This page was opened without TLS, so the browser will not keep you signed in. Use https://.',
    de: 'Diese Seite wurde ohne TLS geöffnet, daher bleibt die Anmeldung nicht erhalten. Verwenden Sie https://.',
  },
  'signIn.out': { en: 'You are signed out.', de: 'Sie sind abgemeldet.' },
  'signIn.outHere': {
    en: 'You are signed out here, but the server could not end the session. It ends after 30 minutes without use.',
    de: 'Sie sind hier abgemeldet, aber der Server konnte die Sitzung nicht beenden. Sie endet nach 30 Minuten ohne Nutzung.',
  },
  'signIn.stillIn': {
    en: 'Signing out failed: the server did not respond. You may still be signed in in this browser.',
    de: 'Die Abmeldung ist fehlgeschlagen: Der Server hat nicht geantwortet. Möglicherweise sind Sie in diesem Browser noch angemeldet.',
  },
  signOut: { en: 'Sign out', de: 'Abmelden' },
  'session.signedInWith': { en: 'Signed in with', de: 'Angemeldet mit' },
  'session.signedInAs': { en: 'Signed in as', de: 'Angemeldet als' },
  'session.roles': {
    en: { one: 'Role', other: 'Roles' },
    de: { one: 'Rolle', other: 'Rollen' },
  },
  'session.open': { en: 'No sign-in needed', de: 'Ohne Anmeldung' },

  'problem.empty.title': { en: 'No customers yet', de: 'Noch keine Kunden' },
  'problem.empty.text': {
    en: 'The directory is empty. Customers appear here once they are imported: clientele import',
    de: 'Das Verzeichnis ist leer. Kunden erscheinen hier nach dem Import: clientele import',
  },
  'problem.noMatch.title': {
    en: 'No matches',
    de: 'Keine Treffer',
  },
  'problem.noMatch.text': {
    en: 'No customer matches “{search}”. Every word must appear in the name, e-mail, company or phone. Try fewer words, or only their beginnings.',
    de: 'Kein Kunde passt zu „{search}“. Jedes Wort muss in Name, E-Mail, Firma oder Telefon vorkommen. Versuchen Sie es mit weniger Wörtern oder nur mit deren Anfängen.',
  },
  'problem.noMatchMasked.text': {
    en: 'No customer matches “{search}”. Every word must appear in the name or company.',
    de: 'Kein Kunde passt zu „{search}“. Jedes Wort muss in Name oder Firma vorkommen.',
  },
  'problem.notSearched': {
    en: 'E-mail addresses and phone numbers were not searched, because they are hidden from you. The customer may exist.',
    de: 'E-Mail-Adressen und Telefonnummern wurden nicht durchsucht, weil sie für Sie verborgen sind. Es kann den Kunden trotzdem geben.',
  },
  'suggestions.title': { en: 'Did you mean', de: 'Meinten Sie' },
  'suggestions.also': { en: 'Also spelt', de: 'Auch geschrieben' },
  'suggestions.first': { en: 'Use the first suggestion', de: 'Ersten Vorschlag verwenden' },
  'problem.noMatchFiltered.text': {
    en: 'No customer matches “{search}” with these filters: {filters}.',
    de: 'Kein Kunde passt zu „{search}“ mit diesen Filtern: {filters}.',
  },
  'problem.noneFiltered.text': {
    en: 'No customer matches these filters: {filters}.',
    de: 'Kein Kunde passt zu diesen Filtern: {filters}.',
  },
  'problem.pastEnd.title': {
    en: 'Past the last page',
    de: 'Diese Seite gibt es nicht',
  },
  'problem.pastEnd.text': {
    en: 'There is no page {page}; the last one is {last}.',
    de: 'Es gibt keine Seite {page}; die letzte ist Seite {last}.',
  },
  'problem.pastEnd.action': { en: 'Go to the last page', de: 'Zur letzten Seite' },
  'problem.offline.title': { en: 'You are offline', de: 'Sie sind offline' },
  'problem.offline.text': {
    en: 'This device has no connection. The list loads automatically when you are back online.',
    de: 'Dieses Gerät hat keine Verbindung. Die Liste lädt automatisch, sobald Sie wieder online sind.',
  },
  'problem.unreachable.title': {
    en: 'The server is not responding',
    de: 'Der Server antwortet nicht',
  },
  'problem.unreachable.text': {
    en: 'The connection failed before a response arrived. If the problem persists, contact your administrator.',
    de: 'Die Verbindung ist abgebrochen, bevor eine Antwort kam. Wenn das Problem anhält, wenden Sie sich an Ihren Administrator.',
  },
  'problem.intercepted.title': {
    en: 'Another page answered instead of Clientele',
    de: 'Statt Clientele hat eine andere Seite geantwortet',
  },
  'problem.intercepted.text': {
    en: 'This network may require you to sign in first, as public Wi-Fi does. Open any website in a new tab, sign in there, then try again.',
    de: 'Möglicherweise verlangt dieses Netzwerk zuerst eine Anmeldung, wie öffentliches WLAN. Öffnen Sie eine beliebige Website in einem neuen Tab, melden Sie sich dort an und versuchen Sie es noch einmal.',
  },
  'problem.unavailable.title': {
    en: 'Temporarily unavailable',
    de: 'Vorübergehend nicht verfügbar',
  },
  'problem.unavailable.text': {
    en: 'The server cannot handle this request right now. Wait a moment and try again.',
    de: 'Der Server kann diese Anfrage gerade nicht bearbeiten. Warten Sie kurz und versuchen Sie es erneut.',
  },
  'problem.rateLimited.title': {
    en: 'Too many requests',
    de: 'Zu viele Anfragen',
  },
  'problem.rateLimited.text': {
    en: 'You have sent too many requests at once.',
    de: 'Sie haben zu viele Anfragen auf einmal gesendet.',
  },
  'problem.timeout.title': { en: 'That took too long', de: 'Das hat zu lange gedauert' },
  'problem.timeout.text': {
    en: 'The search is taking longer. Try again in a few seconds.',
    de: 'Die Suche dauert länger. Versuchen Sie es in einigen Sekunden erneut.',
  },
  'problem.forbidden.title': {
    en: 'Not allowed',
    de: 'Nicht erlaubt',
  },
  'problem.forbidden.text': {
    en: 'Your access does not include this. Ask your administrator if you need it.',
    de: 'Ihr Zugang umfasst das nicht. Fragen Sie Ihren Administrator, wenn Sie es brauchen.',
  },
  'problem.recordsUsedUp.title': {
    en: 'Daily limit reached',
    de: 'Tageslimit erreicht',
  },
  'problem.recordsUsedUp.text': {
    en: 'You have been shown as many customers as you may see in one day. More are shown from {time} (midnight UTC). Ask your administrator if you need more.',
    de: 'Ihnen wurden so viele Kunden angezeigt, wie Sie an einem Tag sehen dürfen. Weitere werden ab {time} angezeigt (Mitternacht UTC). Fragen Sie Ihren Administrator, wenn Sie mehr brauchen.',
  },
  'notAllowed.search': {
    en: 'You do not have permission to search.',
    de: 'Ihnen fehlt die Berechtigung zum Suchen.',
  },
  'notAllowed.open': {
    en: 'You do not have permission to open customers.',
    de: 'Ihnen fehlt die Berechtigung, Kunden zu öffnen.',
  },
  'notAllowed.export': {
    en: 'You do not have permission to export.',
    de: 'Ihnen fehlt die Berechtigung zum Exportieren.',
  },
  'notAllowed.list.title': {
    en: 'You do not have permission to list customers',
    de: 'Ihnen fehlt die Berechtigung, Kunden aufzulisten',
  },
  'notAllowed.list.open': {
    en: 'Open a customer by its link. Ask your administrator if you need the list.',
    de: 'Öffnen Sie einen Kunden über seinen Link. Fragen Sie Ihren Administrator, wenn Sie die Liste brauchen.',
  },
  'notAllowed.list.text': {
    en: 'Ask your administrator if you need the list.',
    de: 'Fragen Sie Ihren Administrator, wenn Sie die Liste brauchen.',
  },
  'problem.badSearch.title': {
    en: 'Invalid search',
    de: 'Ungültige Suche',
  },
  'problem.badSearch.text': {
    en: 'The search is too long or has more than eight words.',
    de: 'Die Suche ist zu lang oder hat mehr als acht Wörter.',
  },
  'problem.badSort.title': {
    en: 'Lists cannot be sorted that way',
    de: 'So lassen sich Listen nicht sortieren',
  },
  'problem.badSort.text': {
    en: 'This order is not enabled here. Your administrator can enable it.',
    de: 'Diese Reihenfolge ist hier nicht eingeschaltet. Ihr Administrator kann sie einschalten.',
  },
  'problem.notFound.title': {
    en: 'Customer not found',
    de: 'Kunde nicht gefunden',
  },
  'problem.notFound.text': {
    en: 'No customer has this identifier. It may have been erased, or the link may be incomplete.',
    de: 'Kein Kunde hat diese Kennung. Vielleicht wurde er gelöscht, oder der Link ist unvollständig.',
  },
  'problem.noPage.title': {
    en: 'Page not found',
    de: 'Seite nicht gefunden',
  },
  'problem.noPage.text': {
    en: 'There is no page at this address.',
    de: 'Unter dieser Adresse gibt es keine Seite.',
  },
  'problem.bug.title': {
    en: 'Something went wrong',
    de: 'Etwas ist schiefgelaufen',
  },
  'problem.bug.text': {
    en: 'This is an error in Clientele. Report it to your administrator, with the request ID if one is shown.',
    de: 'Das ist ein Fehler in Clientele. Melden Sie ihn Ihrem Administrator, wenn möglich mit der Anfrage-ID.',
  },
  'problem.request': {
    en: 'Request ID',
    de: 'Anfrage-ID',
  },
  'problem.retry': {
    en: 'Try again',
    de: 'Erneut versuchen',
  },
  'problem.retryIn': { en: 'Try again in {seconds} s', de: 'Erneut versuchen in {seconds} s' },
  'problem.stale': {
    en: 'These rows are from {when}. Refreshing failed: {reason}.',
    de: 'Stand der Zeilen: {when}. Aktualisieren fehlgeschlagen: {reason}.',
  },
} as const satisfies Record<string, Record<Language, Message>>;

export type Message = string | { one: string; other: string };
export type MessageName = keyof typeof messages;
