/** The countries of the customers: their names, companies, phone numbers and mail providers. */
import { companiesOf, type Company } from './companies/company.ts';
import { latinCompanies } from './companies/latin.ts';
import { otherCompanies } from './companies/other-scripts.ts';
import { american, english, irish } from './names/british-isles.ts';
import { russian, ukrainian } from './names/cyrillic.ts';
import { chinese, japanese, korean, taiwanese } from './names/east-asian.ts';
import { dutch, german } from './names/germanic.ts';
import { greek } from './names/greek.ts';
import { italian } from './names/italian.ts';
import { danish, finnish, icelandic, norwegian, swedish } from './names/nordic.ts';
import { abroad, type Person } from './names/person.ts';
import { french, hispanic, portuguese, spanish } from './names/romance.ts';
import { arabic, hebrew } from './names/semitic.ts';
import { czech, polish } from './names/slavic.ts';
import { hindi, indian, thai, vietnamese } from './names/southern-asian.ts';
import { turkish } from './names/turkish.ts';
import { nigerian } from './names/west-african.ts';
import { phones } from './phones.ts';
import { type Draw, mixed, skewed, weightedIndex } from './random.ts';

export interface Country {
  weight: number;
  person: Draw<Person>;
  company: Draw<Company>;
  phone: Draw<string>;
  mailProvider: Draw<string>;
  /** Hours ahead of UTC, without daylight saving time. */
  utcOffset: number;
}

const peoples: Record<string, Draw<Person>> = {
  american,
  english,
  irish,
  german,
  dutch,
  french,
  spanish,
  hispanic,
  portuguese,
  italian,
  swedish,
  norwegian,
  danish,
  finnish,
  icelandic,
  polish,
  czech,
  turkish,
  nigerian,
  russian,
  ukrainian,
  greek,
  arabic,
  hebrew,
  chinese,
  taiwanese,
  japanese,
  korean,
  indian,
  hindi,
  thai,
  vietnamese,
};
const vocabularies = { ...latinCompanies, ...otherCompanies };

/**
 * One entry per country: weight, hours ahead of UTC, company vocabulary | peoples with their shares,
 * where `~` marks people who write their names in Latin letters although their language does not |
 * mail providers besides Gmail, most common first.
 */
const table: Record<keyof typeof phones, string> = {
  US:
    '235 -6 american | american 64, hispanic 14, irish 5, german 3, italian 3, indian 2, ~chinese 2,' +
    ' ~korean 2, ~vietnamese 2, nigerian 1, polish 1, ~arabic 1 | yahoo.com outlook.com hotmail.com' +
    ' icloud.com aol.com',
  CA:
    '28 -5 american | american 60, french 24, indian 6, ~chinese 5, irish 5 | outlook.com yahoo.ca' +
    ' hotmail.com icloud.com',
  GB:
    '95 0 british | english 80, irish 6, indian 5, polish 3, ~arabic 2, nigerian 2, italian 2' +
    ' | hotmail.co.uk outlook.com yahoo.co.uk icloud.com',
  IE: '13 0 british | irish 88, english 8, polish 4 | hotmail.com outlook.com yahoo.ie',
  AU:
    '26 10 australian | english 76, irish 8, ~chinese 6, italian 4, ~greek 3, indian 3 | outlook.com' +
    ' hotmail.com yahoo.com.au icloud.com',
  DE:
    '78 1 german | german 86, turkish 4, polish 2, italian 2, ~russian 2, ~arabic 1, ~vietnamese 1,' +
    ' ~greek 1, indian 1 | web.de gmx.de t-online.de outlook.de yahoo.de',
  AT: '10 1 german | german 92, turkish 4, czech 4 | gmx.at outlook.com yahoo.de',
  CH: '11 1 swiss | german 64, french 22, italian 14 | bluewin.ch gmx.ch outlook.com',
  FR:
    '58 1 french | french 86, ~arabic 5, portuguese 4, italian 3, polish 1, ~vietnamese 1 | orange.fr' +
    ' free.fr outlook.fr yahoo.fr laposte.net',
  NL: '24 1 dutch | dutch 92, turkish 3, ~arabic 3, german 2 | hotmail.com ziggo.nl outlook.com live.nl',
  ES: '38 1 spanish | spanish 94, ~arabic 3, italian 3 | hotmail.com yahoo.es outlook.es',
  MX: '28 -6 mexican | spanish 1 | hotmail.com outlook.com yahoo.com.mx',
  AR: '12 -3 spanish | hispanic 62, italian 38 | hotmail.com yahoo.com.ar outlook.com',
  PT: '9 0 portuguese | portuguese 1 | sapo.pt hotmail.com outlook.pt',
  BR:
    '48 -3 brazilian | portuguese 88, italian 8, german 4 | hotmail.com yahoo.com.br outlook.com' +
    ' uol.com.br',
  IT: '38 1 italian | italian 96, german 2, ~arabic 2 | libero.it hotmail.it yahoo.it outlook.it',
  SE: '16 1 swedish | swedish 92, finnish 4, ~arabic 4 | hotmail.com telia.com outlook.com',
  NO: '11 1 norwegian | norwegian 94, polish 3, swedish 3 | hotmail.com online.no outlook.com',
  DK: '11 1 danish | danish 96, german 4 | hotmail.com outlook.dk live.dk',
  FI: '11 2 finnish | finnish 92, swedish 8 | hotmail.com luukku.com outlook.com',
  IS: '2 0 icelandic | icelandic 1 | hotmail.com simnet.is',
  PL: '34 1 polish | polish 98, ~ukrainian 2 | wp.pl o2.pl onet.pl interia.pl outlook.com',
  CZ: '15 1 czech | czech 97, vietnamese 3 | seznam.cz email.cz centrum.cz',
  TR: '28 3 turkish | turkish 98, ~arabic 2 | hotmail.com outlook.com yahoo.com',
  RU: '24 3 russian | russian 88, ~russian 12 | mail.ru yandex.ru bk.ru',
  UA: '12 2 ukrainian | ukrainian 90, ~ukrainian 10 | ukr.net i.ua meta.ua',
  GR: '14 2 greek | greek 86, ~greek 14 | hotmail.gr yahoo.gr outlook.com',
  EG: '12 2 arabic | arabic 80, ~arabic 20 | hotmail.com yahoo.com outlook.com',
  SA: '10 3 arabic | arabic 82, ~arabic 18 | hotmail.com outlook.sa icloud.com',
  AE: '8 4 arabic | arabic 50, ~arabic 25, indian 25 | hotmail.com outlook.com yahoo.com',
  IL: '12 2 hebrew | hebrew 84, ~hebrew 8, arabic 8 | walla.co.il hotmail.com outlook.com',
  CN: '36 8 chinese | chinese 90, ~chinese 10 | qq.com 163.com 126.com sina.com outlook.com',
  TW: '9 8 taiwanese | taiwanese 90, ~taiwanese 10 | yahoo.com.tw hotmail.com icloud.com',
  JP: '44 9 japanese | japanese 95, ~japanese 5 | yahoo.co.jp icloud.com docomo.ne.jp outlook.jp',
  KR: '24 9 korean | korean 93, ~korean 7 | naver.com daum.net hanmail.net',
  IN: '56 5.5 indian | indian 78, hindi 22 | yahoo.co.in rediffmail.com outlook.com hotmail.com',
  TH: '13 7 thai | thai 88, ~thai 12 | hotmail.com outlook.co.th icloud.com',
  VN: '15 7 vietnamese | vietnamese 96, ~vietnamese 4 | yahoo.com.vn outlook.com icloud.com',
  NG: '11 1 british | nigerian 1 | yahoo.com outlook.com hotmail.com',
};

function people(name: string): Draw<Person> {
  const found = peoples[name.replace('~', '')];
  if (!found) throw new Error(`Unknown people: ${name}`);
  return name.startsWith('~') ? abroad(found) : found;
}

function country([code, row]: [code: string, row: string], key: number): Country {
  const [facts = '', mix = '', providers = ''] = row.split(' | ');
  const [weight, utcOffset, companies] = facts.split(' ');
  const inhabitants = mix.split(', ').map((entry) => {
    const [name = '', share] = entry.split(' ');
    return [Number(share), people(name)] as const;
  });
  return {
    weight: Number(weight),
    utcOffset: Number(utcOffset),
    person: mixed(...inhabitants),
    company: companiesOf(
      vocabularies[companies as keyof typeof vocabularies],
      inhabitants[0]![1],
      key,
    ),
    phone: phones[code as keyof typeof phones],
    mailProvider: skewed(providers.split(' ')),
  };
}

const countries = Object.entries(table).map(country);
const countryIndex = weightedIndex(countries.map(({ weight }) => weight));

export const drawCountry: Draw<Country> = (random) => countries[countryIndex(random)]!;
