/** Ways in which identifiers once merged or doubled customers without a word. */
import { writeFile } from 'node:fs/promises';
import { customerId as id, setUpDatabaseAndFolder } from '@clientele/sandbox/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { importHere } from './setup/import-here.ts';

const { database, folder } = setUpDatabaseAndFolder();
beforeEach(() => database.query('truncate customers'));

type Options = Parameters<typeof importHere>[2];

/** Imports lines of CSV, and returns what was logged, or why it was refused. */
async function load(lines: string[], options: Partial<Options> = {}): Promise<string> {
  const path = folder.path('file.csv');
  await writeFile(path, `${lines.join('\n')}\n`);
  const logged: string[] = [];
  const settings = { batchSize: 100, rejects: folder.path('rejects'), ...options };
  try {
    await importHere(database.url, path, { ...settings, log: (line) => logged.push(line) });
  } catch (error) {
    logged.push((error as Error).message);
  }
  return logged.join('\n');
}

const names = async (): Promise<string[]> => {
  const rows = await database.query<{ full_name: string }>(
    'select full_name from customers order by full_name',
  );
  return rows.map(({ full_name }) => full_name);
};

describe('the shape of identifiers', () => {
  test('separates Zoho from Salesforce, and long identifiers stay different', async () => {
    const logged = await load([
      'Contact Id,Contact Owner,First Name,Last Name,Account Name,Email',
      'zcrm_4150868000000424003,O,Ada,A,X,ada@mail.example',
      'zcrm_4150868000000424017,O,Bea,B,X,bea@mail.example',
      'zcrm_4150868000000425111,O,Cem,C,X,cem@mail.example',
    ]);
    expect(logged).toContain('recognised as an export of Zoho CRM,');
    expect(await names()).toEqual(['Ada A', 'Bea B', 'Cem C']);
  });

  test('separates Zoho from HubSpot by the values of the same columns', async () => {
    const columns = 'Record Id,Contact Owner,First Name,Last Name,Email';
    expect(await load([columns, 'zcrm_4150868000000424003,O,Ada,A,a@mail.example'])).toContain(
      'an export of Zoho CRM,',
    );
    expect(await load([columns, '4150868,O,Bea,B,b@mail.example'])).toContain(
      'an export of HubSpot,',
    );
  });

  test('Zoho writes the same identifier with and without a prefix', async () => {
    const columns = 'Record Id,Contact Owner,Last Name,Email';
    await load([columns, 'zcrm_4150868000000424003,O,Ada,a@mail.example']);
    await load([columns, '4150868000000424003,O,Ada,a@mail.example']);
    expect(await names()).toEqual(['Ada']);
  });

  test('a system in --id-column shortens only identifiers of that system', async () => {
    await load(
      [
        'Last Name,Email',
        'Smith,christopher.smith@a.example',
        'Smithers,christopher.smithers@b.example',
      ],
      { idColumn: 'salesforce:Email' },
    );
    expect(await names()).toEqual(['Smith', 'Smithers']);
    await load(
      ['Key,Name,Email', 'customer0number001,C,c@a.example', 'customer0number002,D,d@a.example'],
      {
        idColumn: 'salesforce:Key',
      },
    );
    expect(await names()).toEqual(['C', 'D', 'Smith', 'Smithers']);
  });

  test('a Salesforce identifier with and without its checksum is one customer', async () => {
    await load(['Id,Name,Email', '001D000000IqhSLIAZ,Ada,a@mail.example'], {
      idColumn: 'salesforce:Id',
    });
    await load(['Id,Name,Email', '001D000000IqhSL,Ada,a@mail.example'], {
      idColumn: 'salesforce:Id',
    });
    expect(await names()).toEqual(['Ada']);
  });
});

describe('the advice', () => {
  const numbered = (column: string, more = ''): string[] => [
    `${column},Name,Email${more}`,
    '17,Zoe,z@mail.example',
  ];

  test('names the system, and is not accepted without a name', async () => {
    expect(await load(numbered('id'))).toContain('add: --id-column SYSTEM:id\n');
    expect(await load(numbered('ID'), { idColumn: 'SYSTEM:ID' })).toContain(
      'replace SYSTEM by the name of the system',
    );
    expect(await names()).toEqual([]);
  });

  test('short identifiers without a system are refused, unless they are accepted', async () => {
    expect(await load(numbered('id'), { idColumn: 'id' })).toMatch(
      /--id-column SYSTEM:id\. .*--accept unscoped-ids/s,
    );
    expect(await names()).toEqual([]);
    await load(numbered('id'), { idColumn: 'id', accept: new Set(['unscoped-ids']) });
    expect(await names()).toEqual(['Zoe']);
  });

  test.each([
    'Lead ID',
    'Klaviyo ID',
    'N° client',
    'Customer',
    'Kundennummer',
    'Código',
    'Codice cliente',
  ])('prefers %s to the e-mail address', async (column) => {
    const logged = await load([
      `${column},First Name,Last Name,Email`,
      '0000100001,Ada,A,info@acme.example',
      '0000100002,Bob,B,info@acme.example',
    ]);
    expect(logged).toMatch(/recognised as an export of Klaviyo|--id-column '?SYSTEM:/);
    expect(logged).not.toContain('--id-column Email');
  });

  test('points out what an e-mail address as identifier means', async () => {
    expect(await load(['Name,Email', 'Ada,info@acme.example'])).toMatch(
      /--id-column Email\nPeople with a common address would then be one customer\./,
    );
  });

  test.each([
    [['Record ID,First Name,Last Name,Email', '101,Ada,A,a@mail.example'], "'hubspot:Record ID'"],
    [['id,Name,Email', 'cus_NffrFeUfNV2Hib,Ada,a@mail.example'], 'stripe:id'],
    [['Contact ID,Name,Email', '0035g00000Exa01,Ada,a@mail.example'], "'salesforce:Contact ID'"],
  ])('%s: names a system that the values and the column show', async (lines, expected) => {
    expect(await load(lines)).toContain(`--id-column ${expected}`);
  });
});

test('HubSpot with few columns, and later with more, gives the same customers', async () => {
  await load(['Record ID,First Name,Last Name,Email', '101,Ada,A,a@mail.example'], {
    idColumn: 'hubspot:Record ID',
  });
  await load([
    'Record ID,First Name,Last Name,Email,Create Date',
    '101,Ada,A,a@mail.example,2026-01-31',
  ]);
  expect(await names()).toEqual(['Ada A']);
});

test('Google Contacts with a second address is the same customer', async () => {
  const idColumn = 'E-mail 1 - Value';
  const columns = 'First Name,Last Name,E-mail 1 - Value,Labels';
  await load([columns, 'Ada,A,ada@mail.example,* myContacts'], { idColumn });
  await load([columns, 'Ada,A,ada@mail.example ::: ada@home.example,* myContacts'], { idColumn });
  expect(await names()).toEqual(['Ada A']);
});

describe('a column of UUIDs', () => {
  test('is found by its values, and named', async () => {
    const logged = await load(['Session,Full Name,Email', `${id(1)},Ada,a@mail.example`]);
    expect(await names()).toEqual(['Ada']);
    expect(logged).toContain(
      'file.csv: "Session" has UUIDs and is taken to identify customers, which implies --map Session=uuid',
    );
  });

  test.each(['uuid', 'Customer ID', 'GUID'])('named %s is not mentioned', async (column) => {
    expect(await load([`${column},Full Name,Email`, `${id(1)},Ada,a@mail.example`])).toBe('');
  });

  test('is asked for if there are several', async () => {
    expect(await load(['One,Two,Name,Email', `${id(1)},${id(2)},Ada,a@mail.example`])).toContain(
      'Several columns contain UUIDs. Choose the one that identifies customers: --map One=uuid or --map Two=uuid',
    );
  });

  test('is not used if it identifies something else', async () => {
    expect(await load(['Account Id,Name,Email', `${id(1)},Ada,a@mail.example`])).toContain(
      '--id-column',
    );
    expect(await names()).toEqual([]);
  });
});

describe('names', () => {
  test.each([
    ['Vorname;Name;E-Mail', 'Eva;Müller;'],
    ['Name;Vorname;E-Mail', 'Müller;Eva;'],
    ['Prénom;Nom;E-Mail', 'Eva;Müller;'],
    ['Nome;Cognome;E-Mail', 'Eva;Müller;'],
    ['Nombre;Apellidos;E-Mail', 'Eva;Müller;'],
    ['Apellido;Nombre;E-Mail', 'Müller;Eva;'],
    ['First Name;Name;E-Mail', 'Eva;Müller;'],
    ['Vorname;Nachname;E-Mail', 'Eva;Müller;'],
    ['Name;First Name;Last Name;E-Mail', 'Eva Müller;Eva;Müller;'],
    ['Vorname;Name;E-Mail', 'Eva;Eva Müller;'],
    ['Nome completo;E-Mail', 'Eva Müller;'],
    ['Nombre;Primer apellido;E-Mail', 'Eva;Müller;'],
    ['Nombre;Apellidos;E-Mail', 'Eva Müller;Müller;'],
    ['Name;Surname;E-Mail', 'Eva;Müller;'],
    ['Voornaam;Achternaam;E-Mail', 'Eva;Müller;'],
    ['Naam;E-Mail', 'Eva Müller;'],
  ])('%s', async (columns, cells) => {
    await load([columns, `${cells}eva@mail.example`], { idColumn: 'E-Mail' });
    expect(await names()).toEqual(['Eva Müller']);
  });

  test.each([
    ['a file that starts with companies', 'Müller', 'Eva Müller'],
    ['one whose names are whole after all', 'Eva Müller', 'Eva Müller'],
  ])('first names are kept in %s', async (_, name, expected) => {
    const companies = Array.from(
      { length: 25 },
      (__, n) => `;Example ${n} GmbH;c${n}@mail.example`,
    );
    await load(['Vorname;Name;E-Mail', ...companies, `Eva;${name};eva@mail.example`], {
      idColumn: 'E-Mail',
    });
    expect(await names()).toHaveLength(26);
    expect(await names()).toContain(expected);
  });

  test('the column that identifies a customer is not the name', async () => {
    await load(['Customer,First Name,Last Name,Email', '0000100001,Ada,A,a@mail.example'], {
      idColumn: 'shop:Customer',
    });
    expect(await names()).toEqual(['Ada A']);
  });

  test('the order of keys that differ in case does not decide', async () => {
    for (const keys of [
      ['Email', 'email'],
      ['email', 'Email'],
    ]) {
      const record = {
        uuid: id(1),
        name: 'Ada',
        ...Object.fromEntries(keys.map((key) => [key, `${key}@mail.example`])),
      };
      await load([JSON.stringify(record)]);
      expect(await database.query('select email_address from customers')).toEqual([
        { email_address: 'email@mail.example' },
      ]);
    }
  });
});

test('the same person in other letters, of any script, is not taken for somebody else', async () => {
  const people = ['Émile Östberg', 'Ångström Żółć', 'Иван Петров', 'Ωραία Ζωή'];
  const file = (names: string[]) => [
    'Name,E-mail',
    ...names.map((name, i) => `${name},person${i}@mail.example`),
  ];
  const options = { idColumn: 'E-mail' };
  await load(file(people), options);
  expect(await names()).toHaveLength(people.length);
  const logged = await load(file(people.map((name) => name.toUpperCase())), options);
  expect(logged).not.toContain('somebody else');
  expect(await names()).toEqual(people.map((name) => name.toUpperCase()).toSorted());
});
