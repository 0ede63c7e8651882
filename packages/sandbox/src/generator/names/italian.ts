import { type Draw, skewed } from '../random.ts';
import { composed, families, givenThenFamily, joined, type Person, words } from './person.ts';

export const italian: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Maria Anna Giulia Francesca Sofia Giovanna Rosa Angela Laura Chiara Elena Paola Sara
      Martina Alessia Valentina Federica Silvia Alessandra Elisa Roberta Simona Daniela Cristina
      Patrizia Lucia Teresa Caterina Aurora Ginevra Beatrice Camilla Noemi Ilaria Arianna Antonella
      Donatella Immacolata Mariagrazia Ornella Zoe Niccolina`),
  ),
  men: skewed(
    words(`Giuseppe Marco Antonio Francesco Andrea Alessandro Luca Giovanni Matteo Lorenzo Mario Luigi
      Roberto Stefano Davide Paolo Simone Riccardo Federico Salvatore Vincenzo Angelo Pietro Fabio
      Massimo Daniele Claudio Gabriele Tommaso Leonardo Edoardo Nicolò Emanuele Raffaele Domenico
      Carlo Giorgio Enrico Michele Gennaro Ettore Gianluca Pasquale Saverio Ruggero`),
  ),
  family: families(
    [
      50,
      skewed(
        words(`Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo
          Conti De_Luca Mancini Costa Giordano Rizzo Lombardi Moretti Barbieri Fontana Santoro Mariani
          Rinaldi Caruso Ferrara Galli Martini Leone Longo Gentile Martinelli Vitale Lombardo Serra
          Coppola De_Santis D'Angelo Marchetti Parisi Villa Conte Ferraro Ferri Fabbri Bianco Marini
          Grasso Valentini Messina Sala De_Angelis Gatti Pellegrini Palumbo Sanna Farina Rizzi Monti
          Cattaneo Morelli Amato Silvestri Mazza Testa Grassi Pellegrino Carbone Giuliani Benedetti
          Barone Rossetti Caputo Montanari Guerra Palmieri Bernardi Martino Fiore De_Rosa Ferretti
          Bellini Basile Riva Donati Piras Vitali Battaglia Sartori Neri Costantini Milani Pagano
          Ruggiero Sorrentino D'Amico Orlando Damico Negri D’Agostino D’Alessandro Dell’Acqua Cantù
          Nicolò Scalzò Forlì Dall'Asta Degl’Innocenti Lo_Presti La_Rocca Di_Stefano Del_Vecchio`),
      ),
    ],
    [
      46,
      composed(
        words(`mart bern ross bianch fort gall ferr font mar bell bon brun cal camp cant capp car cas
          castell cerv cev cor crist don fabr facch falc fav fior fran fur gand gar gasp gatt gher
          giac giov giul gob gran greg guid lamb land laz lor luc magn maz mel mer mil mor mus nald
          nard nat neg nicol ors pacc pag palm paol pas pedr pell per petr piccol pier pin pozz quar
          rag ram rav ric rin riv rom sal sant sart scar ser sim sol spad stef tass tom torr tos tur
          ugh val vanz vecch ven verd vic vit zamb zan zoc`),
        words('∅ ∅ ∅ ∅ in ar an el ol'),
        words(`ini etti elli oni ucci acci otti ato aro ello etto ino one ani eri uzzi asso iello
          igi olli ossi ari icchio`),
      ),
    ],
    [
      4,
      joined(
        words("D' D’ Dell’ Dall'"),
        words(`Ambrosio Andrea Angeli Aquino Arco Arrigo Auria Avanzo Elia Errico Onofrio Orazio Ovidio
          Urso Aversa Ippolito Oria Albero Orto Isola Era Erba Olmo`),
      ),
    ],
  ),
});
