import { type Draw, skewed } from '../random.ts';
import {
  composed,
  doubleBarrelled,
  families,
  givenThenFamily,
  joined,
  type Person,
  plainLatin,
  words,
} from './person.ts';

/** German e-mail addresses spell out umlauts. */
const germanLatin = (text: string) =>
  plainLatin(text.toLowerCase().replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue'));
const germanWords = (list: string) => words(list, germanLatin);

export const german: Draw<Person> = givenThenFamily({
  women: skewed(
    germanWords(`Anna Maria Ursula Monika Petra Sabine Julia Renate Andrea Claudia Susanne Karin
      Stefanie Christina Katharina Lena Lea Laura Sarah Hannah Mia Emma Johanna Sophie Birgit Heike
      Martina Nicole Barbara Elisabeth Helga Ingrid Gisela Brigitte Angelika Gabriele Silke Anja Kerstin
      Ulrike Franziska Jana Melanie Sandra Nadine Daniela Käthe Jördis Mareike Heidrun Friederike
      Svenja Wiebke Antje Frauke Annegret Gudrun Roswitha Zoë Marlene Theresa Charlotte Mathilda
      Änne Ann-Kathrin Eva-Maria Anne-Marie Hannelore Ottilie`),
  ),
  men: skewed(
    germanWords(`Thomas Michael Andreas Peter Stefan Christian Martin Markus Klaus Jürgen Wolfgang
      Hans Alexander Daniel Florian Sebastian Jan Tobias Matthias Frank Uwe Bernd Jörg Ralf Dieter
      Günter Werner Manfred Helmut Horst Gerhard Heinz Karl Paul Leon Lukas Finn Jonas Elias Noah
      Felix Maximilian Moritz Julian Philipp Simon David Fabian Benjamin Oliver Sven Torsten Björn
      Jens Holger Dirk Volker Rüdiger Götz Jürg Ulrich Friedrich Wilhelm Otto Emil Anton Ludwig
      Hans-Peter Karl-Heinz Klaus-Dieter Hans-Jürgen Sönke Thilo Detlef Ruprecht Korbinian Severin`),
  ),
  family: doubleBarrelled(
    0.03,
    families(
      [
        56,
        skewed(
          germanWords(`Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann
            Schäfer Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger
            Hofmann Hartmann Lange Schmitt Werner Schmitz Krause Meier Lehmann Schmid Schulze Maier
            Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung
            Hahn Schubert Vogel Friedrich Keller Günther Frank Berger Winkler Roth Beck Lorenz
            Baumann Franke Albrecht Schuster Simon Ludwig Böhm Winter Kraus Martin Schumacher Krämer
            Vogt Stein Jäger Otto Sommer Groß Seidel Heinrich Brandt Haas Schreiber Graf Schulte
            Dietrich Ziegler Kuhn Kühn Pohl Engel Horn Busch Bergmann Thomas Voigt Sauer Arnold Wolff
            Pfeiffer Ernst Lindner Hübner Kruse Jansen Peter Ritter Götz Nagel Kaufmann Bender Weiss
            Strauß Görtz Größl Kästner Löffler Fröhlich Bäumler Höß Rösch Schäuffele Wüst Zöllner
            Gräf Bühler Hägele Nüßlein Öhler Übelacker Ammann Deißler Gänßbauer`),
        ),
      ],
      [
        40,
        composed(
          germanWords('∅ ∅ ∅ ∅ ∅ ∅ ∅ ober nieder alt neu hoch'),
          germanWords(`berg stein linden eich birk hasel erlen brück kirch wald feld wiesen bach
            burg hof mühl stadt korn hafer gersten roggen silber gold eisen kupfer salz sand moor
            moos heide tannen fichten buchen eschen ulmen apfel birn kirsch hopfen rosen lilien
            vogel falken adler habicht fuchs wolf bären hirsch reh hasen biber sommer
            winter herbst lenz sonnen stern mond regen wind schnee eis frost tau rein
            schön lieb freuden ehren sieg fried gott engel himmel holz kohl stroh heu gras kraut
            rüben mönch ritter grafen fürsten königs kaiser`),
          germanWords(`mann meier bauer hofer huber müller berger bach stein feld hausen brunner
            schmidt mayer holz wirth thaler reiter egger hammer leitner lechner eder kamp horst
            dorf inger ert lich städter heimer beck rieder bichler moser acker graber hauser haupt
            blum land rath schläger macher gruber brink`),
        ),
      ],
      [
        4,
        joined(
          words('von_ von_ von_ zu_'),
          germanWords(`Hagen Thal Bergen Linden Felsen Brühl Rabenau Hohenfels Eschenbach Wildau
            Altenburg Lichtenau Rosenfels Steinach Waldeck Grünau Sternfeld Birkenau Falkenstein`),
        ),
      ],
    ),
  ),
});

const dutchFamily = families(
  [
    48,
    skewed(
      words(`Jansen Bakker Visser Smit Meijer Mulder Bos Vos Peters Hendriks Dekker Brouwer Dijkstra
        Smits Kok Jacobs Maas Verhoeven Koster Willems Vermeulen Hoekstra Koning Prins Postma
        Kuipers Huisman Scholten Gerritsen Sanders Veenstra Kramer Schouten Blom Martens Wolters
        Timmermans Peeters Janssens Maes Claes Wouters Goossens Mertens Aerts Hermans Michiels
        Lambrechts Coppens Desmet Verbeke Thijs Boeve Wiersma Hofstra Zijlstra Sikkema Boersma`),
    ),
  ],
  [
    26,
    skewed(
      words(`de_Jong de_Vries van_Dijk van_den_Berg van_der_Linden de_Boer de_Graaf van_der_Meer
        van_Leeuwen de_Bruin van_der_Velde van_den_Broek van_der_Wal de_Groot van_Vliet van_der_Heide
        de_Haan de_Leeuw van_der_Horst van_den_Bosch van_der_Ven van_Beek van_der_Laan de_Wit
        van_den_Heuvel van_den_Brink van_Veen de_Ruiter de_Wilde van_der_Molen van_der_Hoek van_Eijk
        van_den_Akker van_der_Poel van_der_Sluis van_Rijn van_Dam de_Winter van_der_Aa van_’t_Hof
        van_Zanden van_der_Burg ter_Horst ten_Brink op_den_Kamp van_der_Wiel in_’t_Veld`),
    ),
  ],
  [
    26,
    composed(
      words(`hof dijk veen berg bos wester ooster noorder zuider molen kerk steen water zand hout linde
        els wilgen roze vogel haver koren schip brug sluis meer duin polder weide klaver broek eiken
        berken heide ketel kuip leder graan zilver koper ijzer lange korte oude nieuwe hoog laag`),
      words(`stra ma sma man huis kamp berg veld dijk hoek laar horst mans beek meijer wijk schot
        brink hout molen boer sen voort haar water`),
    ),
  ],
);
export const dutch: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Maria Anna Johanna Emma Sanne Lisa Anouk Femke Marieke Lotte Eva Fleur Julia Sophie Iris
      Roos Tess Esther Ingrid Marjolein Wilhelmina Saskia Linda Monique Petra Renée Noor Zoë Jantine
      Liesbeth Mieke Katrien Ilse Greet Hilde Annelies Joke Truus Elise`),
  ),
  men: skewed(
    words(`Jan Johannes Pieter Daan Sem Lucas Bram Thijs Jeroen Maarten Willem Hendrik Kees Henk
      Dirk Bas Tim Ruben Niels Sander Joost Koen Wouter Geert Luc Stijn Jef Dries Joris Floris Sjoerd
      Wiebe Gijs André Stéphan Cornelis Gerrit Theo Rutger Daniël Raphaël`),
  ),
  family: doubleBarrelled(0.02, dutchFamily),
});
