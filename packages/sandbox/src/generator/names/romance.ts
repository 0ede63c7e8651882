import { type Draw, mixed, skewed } from '../random.ts';
import {
  composed,
  doubleBarrelled,
  type DrawFamily,
  families,
  givenThenFamily,
  joined,
  type Person,
  plainLatin,
  words,
} from './person.ts';

export const french: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Marie Nathalie Isabelle Sylvie Catherine Françoise Martine Christine Monique Valérie
      Sandrine Sophie Céline Julie Camille Léa Manon Chloé Emma Inès Jade Louise Zoé Élodie Aurélie
      Émilie Hélène Véronique Stéphanie Delphine Laëtitia Mélanie Amélie Noémie Anaïs Maëlle Océane
      Clémence Agnès Brigitte Thérèse Geneviève Élisabeth Cécile Béatrice Pascale Corinne Édith
      Gaëlle Solène Bérénice Apolline Capucine Garance Marie-Claude Anne-Sophie Marie-Hélène
      Anne-Laure Sixtine Ségolène Héloïse Maïwenn Loïse`),
  ),
  men: skewed(
    words(`Jean Pierre Michel Philippe Alain Nicolas Christophe Patrick Frédéric Laurent Stéphane
      Thomas Julien Sébastien Alexandre Éric David Olivier Pascal Thierry Vincent Antoine François
      Gabriel Louis Raphaël Jules Hugo Lucas Arthur Maël Théo Clément Mathéo Rémi Benoît Jérôme Cédric
      Guillaume Maxime Anthony Romain Kévin Fabrice Hervé Gérard André René Léon Étienne Émile Gaël
      Loïc Yann Noël Aurélien Bastien Grégoire Jean-Pierre Jean-Luc Jean-François Jean-Baptiste
      Pierre-Yves Joël Régis Côme Augustin Thibault Corentin Gaëtan Ambroise Barthélemy`),
  ),
  family: doubleBarrelled(
    0.03,
    families(
      [
        52,
        skewed(
          words(`Martin Bernard Thomas Petit Robert Richard Durand Dubois Moreau Laurent Simon Michel
            Lefebvre Leroy Roux David Bertrand Morel Fournier Girard Bonnet Dupont Lambert Fontaine
            Rousseau Vincent Muller Lefèvre Faure André Mercier Blanc Guérin Boyer Garnier Chevalier
            François Legrand Gauthier Garcia Perrin Robin Clément Morin Nicolas Henry Roussel Mathieu
            Gautier Masson Marchand Duval Denis Dumont Marie Lemaire Noël Meyer Dufour Meunier Brun
            Blanchard Giraud Joly Rivière Lucas Brunet Gaillard Barbier Arnaud Martinez Gérard Roche
            Renard Schmitt Roy Leroux Colin Vidal Caron Picard Roger Fabre Aubert Lemoine Renaud Dumas
            Lacroix Olivier Philippe Bourgeois Pierre Benoît Rey Leclerc Payet Rolland Leclercq
            Guillaume Lecomte Lopez Jean Dupuy Guillot Hubert Berger Carpentier Sanchez Dupuis Moulin
            Louis Deschamps Huet Vasseur Perez Boucher Fleury Royer Klein Jacquet Adam Paris Poirier
            Marty Aubry Guyot Carré Charles Renault Charpentier Ménard Maillard Baron Bertin Bailly
            Hervé Schneider Fernandez Le_Gall Collet Léger Bouvier Julien Prévost Millet Perrot Daniel
            Cousin Germain Breton Besson Langlois Rémy Le_Goff Pelletier Lévêque Perrier Leblanc
            Barré Lebrun Marchal Weber Mallet Hamon Boulanger Jacob Monnier Michaud Rodriguez
            Guichard Gillet Étienne Grondin Poulain Tessier Chevallier Collin Chauvin Da_Silva Bouchet
            Gay Lemaître Bénard Maréchal Humbert Reynaud Antoine Hoarau Perret Barthélemy Cordier Pichon
            Lejeune Gilbert Lamy Delaunay Pasquier Carlier Laporte Buisson Créquy Gœtz Lœillet`),
        ),
      ],
      [
        30,
        composed(
          words(`perr guill jacqu mich coll rob gir bern renaud thib aub gaut mart marc land lamb sim
            phil bert hub clém bon blanch bruch chap char chat corn court cout dur flor forg four
            gaill gand garn gob gros hard jol jourd laur lor mab maill mall mar mass men merl mign
            mor moul navarr noir pag paill pasqu pell pich pin poir pruv quin rav reg rich riv roch
            rond rouss salm sarr sav sen sor tab tard tourn tranch vail vall vass verd vign vill`),
          words('∅ ∅ ∅ ∅ an el in on'),
          words(`et ot in on eau ard aud ier elle oux at as an ois aut ais ignon ineau illon ereau
            elet inot onnet ardeau`),
        ),
      ],
      [
        14,
        composed(
          words('∅ ∅ la le'),
          words(`beau mont roche val champ font haut pierre ville grand clair noir blanc long bel bon
            chante saint mal pré gué rive lande bois fosse marne aigue`),
          words(`mont ville champ fort bois court lieu pré val fontaine pierre regard gard rive
            brun mare terre vigne chêne porte croix pont lande fosse`),
        ),
      ],
      [
        4,
        joined(
          words("d' d’ D' D’"),
          words(`Aubigny Artois Amiens Argenson Alençon Estier Espinay Ornano Ormond Arbigny Ancourt
            Évreux Albret Amerval Abernon Harcourt Hautefort Ambert Isigny Olonne Urfé Orgeval`),
        ),
      ],
    ),
  ),
});

const spanishSurname = families(
  [
    78,
    skewed(
      words(`García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez
        Hernández Ruiz Díaz Moreno Muñoz Álvarez Romero Gutiérrez Alonso Navarro Torres Domínguez
        Ramos Vázquez Ramírez Gil Serrano Morales Molina Blanco Suárez Castro Ortega Delgado Ortiz
        Marín Rubio Núñez Medina Sanz Castillo Iglesias Cortés Garrido Santos Guerrero Lozano Cano
        Cruz Méndez Flores Prieto Herrera Peña León Márquez Cabrera Gallego Calvo Vidal Campos Reyes
        Vega Fuentes Carrasco Díez Caballero Aguilar Nieto Santana Vargas Pascual Giménez Herrero
        Hidalgo Montero Lorenzo Santiago Benítez Durán Ibáñez Arias Mora Ferrer Carmona Vicente Rojas
        Soto Crespo Román Pastor Velasco Parra Sáez Moya Bravo Rivera Gallardo Soler Franco Esteban
        Silva Rivas Lara Merino Espinosa Camacho Mendoza Vera Izquierdo Ríos Sierra Arroyo Casado
        Redondo Luque Rey Montes Carrillo Galán Heredia Valdés Pacheco Maldonado Salazar Acosta
        Guzmán Ávila Orozco Cárdenas Villanueva Zúñiga Quintana Peñalver Yáñez Ordóñez Bermúdez
        Chávez Cedeño Ibarra Cisneros Zamora Contreras Figueroa Valencia Miranda`),
    ),
  ],
  [
    12,
    composed(
      words(`etxe goiko iturri mendi zubi aran uri arri ola baso ibar larra harri elor sagar zabal
        egi lizar intxa urki bere gara lasa oiar orma otxa sara zuma echa aldi berga`),
      words('∅ ∅ ∅ go ga ar'),
      words(`berria barri garai zabal gain ondo aga eta alde arte iaga tegui dia mendi eche
        gui zu rena koa beitia gorri txea`),
    ),
  ],
  [
    10,
    joined(
      words('de_'),
      words(`la_Fuente la_Torre la_Rosa la_Vega la_Cruz la_Peña la_Iglesia los_Santos los_Ríos la_Hoz
        las_Heras la_Cueva la_Encina la_Mata la_Nava la_Parra la_Riva la_Sierra la_Viña las_Casas
        Castro Haro Lucas Miguel Pablo Diego Ávila León Burgos Soria Lugo Cáceres Écija`),
    ),
  ],
);
const spanishWomen = skewed(
  words(`María Carmen Ana Isabel Laura Cristina Marta Lucía Dolores Pilar Elena Sara Paula Raquel
    Rosa Teresa Ángela Beatriz Silvia Patricia Andrea Sofía Julia Irene Alba Rocío Inés Mónica Mercedes
    Nuria Verónica Susana Yolanda Montserrat Eva Esther Natalia Alicia Amparo Concepción Begoña
    Lorena Guadalupe Valentina Camila Ximena Daniela Fernanda Alejandra Gabriela Itziar Ainhoa Nerea
    Martina Belén Araceli Macarena Consuelo María_José María_Jesús Ana_María María_Ángeles Luz_María`),
);
const spanishMen = skewed(
  words(`Antonio José Manuel Francisco David Juan Javier Daniel Carlos Jesús Alejandro Miguel Rafael
    Pedro Ángel Pablo Sergio Fernando Jorge Luis Alberto Álvaro Diego Adrián Raúl Iván Rubén Óscar
    Enrique Ramón Andrés Vicente Joaquín Santiago Víctor Mario Eduardo Jaime Marcos Ignacio Hugo
    Martín Nicolás Mateo Emilio Julián Tomás Guillermo Agustín Gonzalo Ricardo Felipe Héctor Germán
    Iñaki Xavier Jordi Unai Gorka Aitor José_Luis Juan_Carlos José_Antonio Miguel_Ángel Luis_Fernando`),
);

/** Spain and most of Latin America: the father's family name, then the mother's. */
const bothParents: DrawFamily = (random, woman) => {
  const father = spanishSurname(random, woman);
  if (random.chance(0.3)) return father;
  return { text: `${father.text} ${spanishSurname(random, woman).text}`, latin: father.latin };
};

export const spanish: Draw<Person> = givenThenFamily({
  women: spanishWomen,
  men: spanishMen,
  family: bothParents,
});
/** Spanish names with one family name, as in the United States and Argentina. */
export const hispanic: Draw<Person> = givenThenFamily({
  women: spanishWomen,
  men: spanishMen,
  family: doubleBarrelled(0.03, spanishSurname),
});

const portugueseSurname = skewed(
  words(`Silva Santos Oliveira Souza Lima Pereira Ferreira Costa Rodrigues Almeida Nascimento Alves
    Carvalho Araújo Ribeiro Gomes Martins Rocha Barbosa Dias Fernandes Soares Vieira Monteiro Mendes
    Cardoso Moreira Cavalcanti Teixeira Correia Nunes Marques Machado Lopes Freitas Castro Ramos
    Moura Campos Pinto Azevedo Melo Cunha Barros Macedo Borges Nogueira Miranda Batista Andrade
    Fonseca Guimarães Magalhães Brandão Leitão Conceição Galvão Simões Assunção Sampaio Siqueira
    Figueiredo Coelho Tavares Xavier Antunes Aguiar Bezerra Pacheco Farias Queiroz Sá Matos Pires
    Leal Vasconcelos Valadares Bittencourt Amaral Drummond Falcão Peçanha Louzada Quintão Frazão`),
);
/** Family names with a particle. E-mail addresses leave the particle out. */
const portugueseWithParticle = skewed(
  words(
    `da_Silva dos_Santos de_Oliveira de_Souza de_Lima da_Costa de_Almeida do_Nascimento da_Rocha de_Jesus
    de_Carvalho da_Cunha de_Freitas de_Castro da_Fonseca de_Moura de_Melo de_Barros de_Andrade
    da_Conceição de_Azevedo do_Amaral da_Luz dos_Reis das_Neves de_Sá do_Carmo da_Cruz`,
    (name) => plainLatin(name.slice(name.indexOf(' '))),
  ),
);
const portugueseLast = mixed([6, portugueseSurname], [4, portugueseWithParticle]);
const portugueseFamily: DrawFamily = (random) => {
  const last = portugueseLast(random);
  if (random.chance(0.4)) return last;
  const mother = portugueseSurname(random);
  if (last.text.endsWith(mother.text)) return last;
  return { text: `${mother.text} ${last.text}`, latin: last.latin };
};
export const portuguese: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Maria Ana Francisca Adriana Juliana Márcia Fernanda Patrícia Aline Sandra Camila Amanda
      Bruna Jéssica Letícia Júlia Luciana Vanessa Mariana Gabriela Beatriz Larissa Helena Alice Sofia
      Laura Valentina Heloísa Inês Conceição Fátima Lúcia Antônia Raquel Débora Cláudia Mônica Vitória
      Maria_Eduarda Ana_Clara Maria_Luísa Ana_Beatriz Thaís Joana Matilde Leonor`),
  ),
  men: skewed(
    words(`José João Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luís Gabriel Rafael Daniel
      Marcelo Bruno Eduardo Felipe Rodrigo Gustavo Mateus André Fernando Fábio Leonardo Thiago Vinícius
      Ricardo Diego Caio Murilo Otávio Sérgio Márcio Flávio Jorge Vítor Tomás Rui Nuno Duarte Gonçalo
      Simão Estêvão João_Pedro Luiz_Felipe Antônio_Carlos Joaquim Sebastião`),
  ),
  family: portugueseFamily,
});
