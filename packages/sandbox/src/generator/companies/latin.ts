/** Companies with names in Latin letters. */
import { joined, words } from '../names/person.ts';
import { type CompanyVocabulary, vocabulary } from './company.ts';

const englishTrades = words(`Consulting Logistics Foods Software Design Engineering Media Partners
  Systems Supplies Holdings Motors Textiles Analytics Bakery Builders Plumbing Dental Gardens Optics
  Packaging Print Recruitment Roofing Solar Travel Timber Catering Robotics Cycles Ceramics Freight`);
const english = (forms: string[]) =>
  vocabulary(
    [
      '{brand} {form}',
      '{brand} {trade} {form}',
      '{family} {trade} {form}',
      '{family} & {family} {form}',
      '{family} {trade}',
      '{family} & Sons',
      '{family}, {family} & Co.',
      "{family}'s {trade}",
      'The {brand} {trade} Company',
      '{brand}+{brand} {form}',
      '100% {brand} {trade} {form}',
      '"{brand}" {trade} {form}',
      '{brand}_{trade}',
      'back\\{brand} {trade}',
    ],
    englishTrades,
    forms,
  );

const german = (forms: string[]) =>
  vocabulary(
    [
      '{brand} {form}',
      '{family} {trade} {form}',
      '{family} {form}',
      '{brand} {trade} {form}',
      '{trade} {family}',
      '{family} & Söhne {form}',
      '{family} & {family} {form}',
      '{trade} „{brand}“ {form}',
    ],
    words(`Maschinenbau Logistik Gebäudetechnik Bau Elektrotechnik Softwarehaus Bäckerei Metzgerei
      Sanitär Druckerei Möbel Großhandel Werkzeuge Brauerei Gärtnerei Küchen Beratung Steuerkanzlei
      Autohaus Landtechnik Spedition Tischlerei Schlüsseldienst`),
    forms,
  );

const romance = (trades: string, forms: string[], sons: string) =>
  vocabulary(
    [
      '{brand} {form}',
      '{trade} {family} {form}',
      '{family} {form}',
      '{trade} {brand} {form}',
      `{family} ${sons}`,
      '{brand} {trade} {form}',
      '{family} & {family} {form}',
    ],
    words(trades),
    forms,
  );

const spanishTrades = `Construcciones Transportes Talleres Panadería Consultoría Distribuciones Bodegas
  Imprenta Muebles Ferretería Instalaciones Asesoría Diseño Almacenes Cerámicas Señalética Turismo`;
const portugueseTrades = `Construções Transportes Padaria Consultoria Comércio Móveis Engenharia Soluções
  Alimentos Confecções Gráfica Farmácia Informática Máquinas Importação`;

const nordic = (trades: string, forms: string) =>
  vocabulary(
    [
      '{brand} {form}',
      '{family} {trade} {form}',
      '{family} & {family} {form}',
      '{brand} {trade} {form}',
    ],
    words(trades),
    forms.split(' '),
  );

export const latinCompanies = {
  american: english(['LLC', 'Inc.', 'Corp.', 'Co.', 'Group', 'LLP']),
  british: english(['Ltd', 'Limited', 'LLP', 'plc', '& Co.', 'Group']),
  indian: english(['Pvt. Ltd.', 'Enterprises', 'Traders', 'LLP', 'Limited', '& Co.']),
  australian: english(['Pty Ltd', 'Pty. Ltd.', 'Group', 'Ltd']),
  german: german(['GmbH', 'AG', 'GmbH & Co. KG', 'e.K.', 'UG (haftungsbeschränkt)', 'OHG', 'KG']),
  swiss: german(['AG', 'GmbH', 'SA', 'Sàrl', 'KlG']),
  french: romance(
    `Boulangerie Menuiserie Transports Cabinet Imprimerie Garage Électricité Conseil Maçonnerie
    Librairie Pâtisserie Ateliers Éditions Vignobles Plomberie Pharmacie Établissements Hôtellerie`,
    ['SARL', 'SAS', 'SA', 'EURL', 'SNC', 'SASU'],
    '& Fils',
  ),
  spanish: romance(spanishTrades, ['S.L.', 'S.A.', 'S.L.U.', 'S. Coop.'], 'e Hijos'),
  mexican: romance(spanishTrades, ['S.A. de C.V.', 'S. de R.L.', 'S.A.'], 'e Hijos'),
  portuguese: romance(portugueseTrades, ['Lda.', 'S.A.', 'Unipessoal Lda.'], '& Filhos'),
  brazilian: romance(portugueseTrades, ['Ltda.', 'S.A.', 'ME', 'EIRELI'], '& Filhos'),
  italian: romance(
    `Costruzioni Trasporti Officina Panificio Studio Mobili Ceramiche Tessuti Meccanica Edilizia Impianti
    Tipografia Pasticceria Consulenza Vini`,
    ['S.r.l.', 'S.p.A.', 'S.n.c.', 'S.a.s.', 'S.r.l.s.'],
    '& Figli',
  ),
  dutch: romance(
    `Bouw Transport Installatie Bakkerij Advies Techniek Groothandel Drukkerij Meubelen Schilders Tuinen
    Makelaardij Bloemen Fietsen`,
    ['B.V.', 'BV', 'V.O.F.', 'N.V.', 'Holding B.V.'],
    '& Zonen',
  ),
  swedish: nordic('Bygg Konsult Måleri Transport Bageri Elteknik Fastigheter Redovisning', 'AB HB'),
  norwegian: nordic('Bygg Rør Transport Regnskap Elektro Eiendom Fiskeri Håndverk', 'AS ANS DA'),
  danish: nordic('Byg Tømrer Transport Revision Bageri Møbler Ejendomme Køkken', 'ApS A/S I/S'),
  finnish: nordic('Rakennus Kuljetus Konepaja Leipomo Kiinteistöt Sähkö Tilitoimisto', 'Oy Ky Oyj'),
  icelandic: nordic('Útgerð Verktakar Ráðgjöf Ferðaþjónusta Bakarí Smíði', 'ehf. hf. slf.'),
  polish: vocabulary(
    [
      '{brand} {form}',
      '{trade} {family}',
      '{brand} {trade} {form}',
      'P.P.H.U. "{brand}" {family}',
      'F.H.U. „{brand}”',
      '{family} i Wspólnicy {form}',
    ],
    words(
      'Budownictwo Transport Usługi Piekarnia Meble Elektryka Drukarnia Księgarnia Żegluga Łączność',
    ),
    ['Sp. z o.o.', 'S.A.', 'Sp. k.', 'Sp. j.', 's.c.'],
  ),
  czech: vocabulary(
    ['{brand} {form}', '{family} {trade} {form}', '{trade} {family}', '{brand} {trade}, {form}'],
    words('Stavby Doprava Pekárna Nábytek Elektro Služby Tiskárna Zahrady Účetnictví Střechy'),
    ['s.r.o.', 'a.s.', 'spol. s r.o.', 'v.o.s.'],
  ),
  turkish: vocabulary(
    [
      '{family} {trade} {form}',
      '{brand} {trade} {form}',
      '{family} {trade} ve Tic. {form}',
      '{brand} {form}',
    ],
    words(
      'İnşaat Tekstil Gıda Lojistik Otomotiv Turizm Mobilya Yazılım Tarım Danışmanlık Kırtasiye',
    ),
    ['Ltd. Şti.', 'A.Ş.', 'San. Tic. Ltd. Şti.'],
  ),
  vietnamese: vocabulary(
    [
      'Công ty TNHH {brand}',
      'Công ty Cổ phần {trade} {brand}',
      'Công ty TNHH {trade} {brand}',
      'Cửa hàng {brand}',
    ],
    words('Thương_mại Xây_dựng Vận_tải Thực_phẩm Công_nghệ Du_lịch Dệt_may Nội_thất'),
    ['TNHH'],
    joined(
      words('Việt_ Hoàng_ Minh_ Đại_ Thành_ Phú_ Tân_ An_ Hưng_ Kim_ Nam_'),
      words('Long Phát An Thịnh Hưng Tiến Đạt Gia Sơn Hà Phong Lộc Khang'),
    ),
  ),
} satisfies Record<string, CompanyVocabulary>;
