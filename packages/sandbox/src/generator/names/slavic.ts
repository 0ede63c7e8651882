/** Polish and Czech: Latin letters, and family names that differ between women and men. */
import { type Draw, skewed } from '../random.ts';
import {
  composed,
  doubleBarrelled,
  families,
  gendered,
  givenThenFamily,
  type Person,
  withEnding,
  words,
} from './person.ts';

const withFeminine = (list: string, feminine: (name: string) => string) =>
  list
    .split(/\s+/)
    .map((name) => `${name}/${feminine(name)}`)
    .join(' ');

const polishFeminine = (name: string) => name.replace(/([cs]k|dzk)i$/, '$1a');

export const polish: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Anna Maria Katarzyna Małgorzata Agnieszka Barbara Ewa Krystyna Elżbieta Magdalena Joanna
      Aleksandra Zofia Monika Teresa Danuta Natalia Karolina Julia Marta Beata Dorota Jadwiga Janina
      Alicja Irena Iwona Zuzanna Hanna Oliwia Paulina Weronika Kinga Grażyna Bożena Łucja Żaneta
      Świętosława Wiesława Róża Urszula Sylwia Izabela Justyna Kazimiera Amelia Maja Lena Pola`),
  ),
  men: skewed(
    words(`Piotr Krzysztof Andrzej Tomasz Jan Paweł Michał Marcin Jakub Adam Stanisław Marek Łukasz
      Grzegorz Mateusz Wojciech Mariusz Dariusz Maciej Zbigniew Jerzy Rafał Robert Kamil Szymon Dawid
      Kacper Józef Ryszard Tadeusz Jarosław Janusz Mirosław Artur Sławomir Sebastian Filip Antoni
      Franciszek Bartosz Bartłomiej Przemysław Radosław Henryk Władysław Żelisław Gracjan Ignacy`),
  ),
  family: doubleBarrelled(
    0.03,
    families(
      [
        56,
        gendered(
          withFeminine(
            `Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański
            Woźniak Dąbrowski Kozłowski Jankowski Mazur Wojciechowski Kwiatkowski Krawczyk Kaczmarek
            Piotrowski Grabowski Zając Pawłowski Michalski Król Wieczorek Jabłoński Wróbel Nowakowski
            Majewski Olszewski Stępień Malinowski Jaworski Adamczyk Dudek Nowicki Pawlak Górski
            Witkowski Walczak Sikora Baran Rutkowski Michalak Szewczyk Ostrowski Tomaszewski Pietrzak
            Zalewski Wróblewski Marciniak Jasiński Zawadzki Bąk Jakubowski Sadowski Duda Włodarczyk
            Wilk Chmielewski Borkowski Sokołowski Szczepański Sawicki Kucharski Lis Maciejewski
            Kubiak Kalinowski Mazurek Wysocki Kołodziej Kaźmierczak Czarnecki Sobczak Konieczny
            Głowacki Urban Wasilewski Zakrzewski Krajewski Gajewski Mróz Sikorski Ziółkowski Przybylski
            Szulc Łukasik Błaszczyk Brzeziński Kaczmarczyk Borowski Szymczak Andrzejewski Żak
            Błażejewski Gołębiowski Ślusarczyk Świątek Ćwik Źrebiec Łoś Ząbek`,
            polishFeminine,
          ).replace('Konieczny/Konieczny', 'Konieczny/Konieczna'),
        ),
      ],
      [
        30,
        withEnding(
          composed(
            words(`lip brzoz klon jesion grab buk wierzb topol jawor olch dęb sosn las bor gaj łąk pol gór
              dol rzek strum jezior bagn młyn dwor kam głaz piask glin rud srebr złot mied chmiel żyt
              pszen groch mak malin jagod wiśn grusz śliw orł sokoł jastrzęb krucz wron kos drozd żuraw
              bocian czapl wilk lis jelon sarn bobr borsuk kun ryb szczup karp rak star now such mokr
              czarn biał siw kras dąbr świerk wrzos kalin tarn głog rokit sit trzcin mur brus kowal`),
          ),
          gendered('owski/owska owicz ak ek owiak czyk ik'),
        ),
      ],
      [
        14,
        withEnding(
          composed(
            words(`kam jas brzez zaw kal kop lub sul mal dob głow ros szym wol zub gąs bor sos gol rut ryb
              krup łap rad star raw łub wil sap gos dąb trusk mos gaw czap sień barc kęp małk łos paw
              żab ław lew sam lip buk soł wal sow grab jel`),
          ),
          gendered('iński/ińska ewski/ewska ecki/ecka icki/icka'),
        ),
      ],
    ),
  ),
});

const czechFeminine = (name: string) => {
  if (name.endsWith('ý')) return `${name.slice(0, -1)}á`;
  if (name.endsWith('í')) return name;
  if (/e[kc]$/.test(name)) return `${name.slice(0, -2)}${name.at(-1)}ová`;
  return `${name.replace(/[ao]$/, '')}ová`;
};

export const czech: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Jana Marie Eva Hana Anna Lenka Kateřina Lucie Věra Alena Petra Veronika Jaroslava Tereza
      Martina Jitka Helena Michaela Ludmila Zdeňka Ivana Jarmila Monika Eliška Zuzana Markéta Barbora
      Kristýna Natálie Adéla Růžena Božena Šárka Dagmar Libuše Květa Světlana Žofie Ema Karolína`),
  ),
  men: skewed(
    words(`Jiří Jan Petr Josef Pavel Martin Tomáš Jaroslav Miroslav Zdeněk Václav Michal František
      Jakub Milan Karel Lukáš David Vladimír Ladislav Ondřej Roman Stanislav Marek Radek Daniel Vojtěch
      Filip Adam Miloslav Matěj Aleš Jaromír Libor Dominik Patrik Luboš Bohumil Štěpán Řehoř Čeněk`),
  ),
  family: families(
    [
      64,
      gendered(
        withFeminine(
          `Novák Svoboda Novotný Dvořák Černý Procházka Kučera Veselý Horák Němec Pokorný Marek Pospíšil
          Hájek Král Jelínek Růžička Beneš Fiala Sedláček Doležal Zeman Kolář Krejčí Navrátil Čermák
          Urban Vaněk Blažek Kříž Kovář Kratochvíl Bartoš Vlček Musil Kopecký Šimek Konečný Malý Čech
          Holub Staněk Štěpánek Dostál Soukup Šťastný Mareš Moravec Sýkora Tichý Valenta Vávra Matoušek
          Bláha Říha Ševčík Bureš Hruška Mašek Pavlík Dušek Hrubý Janda Mach Liška Hladký Tůma Žák Strnad
          Smutný Řezníček Křížek Šebesta Vondráček Jirásek Ježek Zelenka Jaroš Zahradník Škoda Žižka
          Brož Pešek Květoň Ondráček Ptáček Řehák Šídlo Čížek`,
          czechFeminine,
        ),
      ),
    ],
    [
      36,
      withEnding(
        composed(
          words(`hav kraj lip dub jav brz smrk les pol luk hor vrch kop skal kam pis blat vod rek jez
            rybn ml chal dvor mest ves zahr vrb jas jed kal trn hlo mor zem krup jec rez hrach
            mak bob slam sen chmel vin jabl hrus svest kost zub hlav vlas bor tich stast smut
            prok bart mat vav hol strn kos sov jest vran hav slav pel pav tom jir vac mik kub`),
          words('∅ ∅ ∅ ∅ el an'),
        ),
        gendered(
          `ák/áková ek/ková ík/íková ač/ačová ec/cová oš/ošová áček/áčková ičký/ičká ín/ínová
          ovský/ovská áš/ášová uš/ušová oun/ounová enka/enková ník/níková eš/ešová`,
        ),
      ),
    ],
  ),
});
