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

export const swedish: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Anna Maria Eva Kristina Karin Emma Sara Lena Kerstin Marie Ingrid Elin Birgitta Annika
      Johanna Malin Linnéa Astrid Alva Ebba Maja Saga Wilma Åsa Märta Görel Ulla Gunilla Hanna Jenny
      Sofia Agnes Tuva Freja Ylva Märit Åse Solveig Siv`),
  ),
  men: skewed(
    words(`Erik Lars Karl Anders Johan Per Nils Mikael Jan Hans Peter Björn Göran Oskar Gustav Axel
      Magnus Fredrik Sven Åke Bengt Bo Jörgen Håkan Mats Ulf Stefan Emil William Elias Hugo Ludvig
      Östen Torbjörn Sören Rasmus Linus Viktor Anton`),
  ),
  family: doubleBarrelled(
    0.02,
    families(
      [
        52,
        skewed(
          words(`Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson
            Pettersson Jonsson Jansson Hansson Bengtsson Jönsson Lindberg Jakobsson Magnusson Olofsson
            Lindström Lindqvist Lindgren Axelsson Berg Bergström Lundberg Lind Lundgren Lundqvist
            Mattsson Berglund Fredriksson Sandberg Henriksson Forsberg Sjöberg Wallin Engström Eklund
            Danielsson Håkansson Lundin Gunnarsson Björk Bergman Holm Wikström Samuelsson Isaksson
            Fransson Bergqvist Nyström Holmberg Arvidsson Löfgren Söderberg Nyberg Blomqvist
            Claesson Nordström Mårtensson Ström Åberg Öberg Hägg Sjögren Åkesson Östlund`),
        ),
      ],
      [
        48,
        composed(
          words(`lind berg sjö ek gran alm lund ny hag söder öst väst ström fors holm dahl sand sten
            björk blom cedr eng fager fjäll flod frisk grön gull gyll hall hede hell häll hög kling
            kron käll lager lilje lång ljung lof löv malm mark moss näs nord palm ram ring ros rön
            rör sal seger silver sjö skog snell sol stål stjern strand sund svan säll tall torn
            tör ull vik vinter wahl wall wester ång åker öhr`),
          words(`berg ström gren kvist qvist lund dahl mark holm stedt man blad löf ros ell én fors gård
            hammar hult ling stam sten strand torp vall vik wall`),
        ),
      ],
    ),
  ),
});

export const norwegian: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Anne Inger Kari Marit Ingrid Liv Eva Astrid Bjørg Solveig Hilde Nina Kristin Ida Nora Emma Sofie
      Maja Thea Frida Silje Åse Ragnhild Gudrun Tuva Hedda Tone Randi Øydis Wenche Turid`),
  ),
  men: skewed(
    words(`Jan Per Bjørn Ole Lars Kjell Knut Svein Arne Thomas Hans Geir Tor Morten Terje Odd Erik Martin
      Andreas Jakob Emil Noah Magnus Kåre Øyvind Håkon Pål Ståle Åge Bård Sindre Eirik Øystein Asbjørn`),
  ),
  family: doubleBarrelled(
    0.03,
    families(
      [
        58,
        skewed(
          words(`Hansen Johansen Olsen Larsen Andersen Pedersen Nilsen Kristiansen Jensen Karlsen
            Johnsen Pettersen Eriksen Berg Haugen Hagen Johannessen Andreassen Jacobsen Dahl Halvorsen
            Jørgensen Henriksen Lund Sørensen Jakobsen Moen Gundersen Iversen Strand Solberg Svendsen
            Eide Knutsen Martinsen Paulsen Bakken Kristoffersen Mathisen Lie Rasmussen Amundsen Bøe
            Ødegård Nygård Håland Sæther Ås Tønnessen Bråten Sørlie Fløtre`),
        ),
      ],
      [
        42,
        composed(
          words('∅ ∅ ∅ ∅ ∅ nord sør øst vest'),
          words(`sol hau berg dal bakke lund strøm tveit vik fjell grøn hag ham heg hol hov kval kvam lang lie
            løv mos myr nes ny rav ring rog ros rød røn sand sel skog slett stav sten stor sund tang thor
            ves våg ås ørn åker`),
          words(`heim stad vik dal land rud set bø nes haug moen lien berg strand voll by hus eng vang holt
            løkken`),
        ),
      ],
    ),
  ),
});
export const danish: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Anne Kirsten Mette Hanne Anna Helle Susanne Lene Maria Marianne Inge Karen Lone Pia Gitte Bodil
      Camilla Louise Charlotte Ida Emma Sofie Freja Alma Clara Signe Asta Karla Maren Dorthe Jytte Tove`),
  ),
  men: skewed(
    words(`Peter Jens Michael Lars Henrik Søren Thomas Niels Jan Christian Martin Anders Hans Jørgen Mads
      Rasmus Morten Bent Erik Torben Flemming Bjarne Kasper Frederik Emil Noah Oskar Aage Mogens Svend`),
  ),
  family: families(
    [
      74,
      skewed(
        words(`Nielsen Jensen Hansen Pedersen Andersen Christensen Larsen Sørensen Rasmussen Jørgensen
          Petersen Madsen Kristensen Olsen Thomsen Christiansen Poulsen Johansen Møller Mortensen Knudsen
          Jakobsen Jacobsen Mikkelsen Olesen Frederiksen Laursen Henriksen Lund Holm Schmidt Eriksen
          Kristiansen Simonsen Clausen Svendsen Andreasen Iversen Jeppesen Østergaard Vestergaard
          Nissen Lauridsen Kjær Jespersen Mogensen Nørgaard Jepsen Frandsen Søndergaard Bæk Skjødt
          Bjerregaard Damgaard Ravnsborg Krogh Bech Kjærgaard Ågård Brøndum`),
        1.1,
      ),
    ],
    [
      26,
      composed(
        words(`øster vester nør sønder kirke bjerg dam krog ravn lund skov bæk mølle hede mose eng kær høj
          sand sten ege birke bøge linde ulv hjorte gammel ny lille stor`),
        words('gaard strup toft lund holm skov bjerg dal by bæk kær høj vang rup hus borg'),
      ),
    ],
  ),
});

export const finnish: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Maria Anneli Johanna Aino Helena Tuulikki Liisa Anna Sofia Eeva Kaarina Päivi Sari Tiina
      Hanna Minna Satu Jaana Riitta Leena Marjatta Ritva Emma Venla Ella Helmi Iida Siiri Elsa Kerttu
      Mirjami Sinikka Yrsa Pirkko`),
  ),
  men: skewed(
    words(`Juhani Matti Mikko Timo Juha Antti Kari Jari Pekka Jukka Heikki Markku Ville Janne Petri
      Tuomas Eero Olli Ilkka Väinö Eino Leo Onni Elias Oliver Veikko Pentti Seppo Hannu Jussi Lauri
      Yrjö Sampo Tapio Aarne`),
  ),
  family: families(
    [
      46,
      skewed(
        words(`Korhonen Virtanen Mäkinen Nieminen Mäkelä Hämäläinen Laine Heikkinen Koskinen Järvinen
          Lehtonen Lehtinen Saarinen Salminen Heinonen Niemi Heikkilä Salonen Kinnunen Turunen Salo
          Laitinen Tuominen Rantanen Karjalainen Jokinen Mattila Savolainen Lahtinen Ahonen Ojala
          Leppänen Väisänen Hiltunen Kallio Miettinen Leinonen Pitkänen Aaltonen Manninen Hakala
          Koivisto Anttila Laaksonen Hirvonen Räsänen Laakso Lehto Toivonen Mustonen Rautiainen Peltonen
          Nurminen Seppälä Kettunen Moilanen Lappalainen Nevalainen Kärkkäinen Eskelinen Pöyhönen`),
      ),
    ],
    [
      54,
      composed(
        words('∅ ∅ ∅ ∅ ∅ ∅ ∅ iso ylä ala'),
        words(`koivu mänty kuusi järvi mäki lehto niitty kivi hauki kurki karhu susi kotka haapa leppä
          tammi vaahtera kanerva suo kangas heinä pelto aura viita vesi virta laine kaisla hieta savi
          sora rauta hopea kulta rauha onni toivo palo tervas halla talvi kesä syksy kevät pohja etelä
          itä länsi myllä niemi saari salmi lampi`),
        words(`mäki järvi lahti koski niemi saari aho ranta lampi salo maa harju vuori korpi suo
          oja joki pää linna portti kangas halme virta luoma`),
      ),
    ],
  ),
});

const patronymic = withEnding(
  skewed(
    words(`Jóns Sigurðar Guðmunds Gunnars Ólafs Magnús Einars Kristjáns Björns Bjarna Jóhanns
      Stefáns Árna Helga Halldórs Péturs Gísla Ragnars Þórðar Þorsteins Páls Sveins Hauks Ásgeirs
      Karls Snorra Ingólfs Arnars Birgis Hallgríms Þorvalds Tómas Davíðs Ívars Óskars Hannes`),
  ),
  gendered('son/dóttir'),
);
export const icelandic: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Guðrún Anna Kristín Sigríður Margrét Helga Sigrún Ingibjörg Jóhanna María Katrín Hildur
      Ragnheiður Þórunn Elín Lilja Ásta Björk Sólveig Hrafnhildur Þóra Birta Embla Freyja Ýr`),
  ),
  men: skewed(
    words(`Jón Sigurður Guðmundur Gunnar Ólafur Einar Magnús Kristján Stefán Jóhann Björn Bjarni Árni
      Halldór Þór Pétur Helgi Ragnar Gísli Haukur Þorsteinn Arnar Birkir Ævar Össur Ýmir Sæmundur`),
  ),
  family: patronymic,
});
