import { type Draw, mixed, skewed } from '../random.ts';
import { composed, givenThenFamily, type Person, words } from './person.ts';

const yorubaPraise = words('ade olu ayo ola oluwa ogun ifa aki ire temi omo fola mofe ibi eni abi');
const english = {
  women: words(
    'Grace Blessing Mercy Esther Ruth Patience Comfort Joy Deborah Precious Gloria Favour',
  ),
  men: words(
    'Emmanuel Samuel David Daniel Michael Joseph Peter Sunday Victor Godwin Moses Solomon',
  ),
};

const yoruba = givenThenFamily({
  women: mixed(
    [4, skewed(english.women)],
    [
      6,
      composed(
        yorubaPraise,
        words('funmi sola bunmi ronke yinka dunni toyin bisi shade nike peju'),
      ),
    ],
  ),
  men: mixed(
    [4, skewed(english.men)],
    [
      6,
      composed(
        yorubaPraise,
        words('wale tunde kunle bayo deji femi segun dele gbenga niyi rotimi'),
      ),
    ],
  ),
  family: composed(
    yorubaPraise,
    words('∅ ∅ lu ba wo to'),
    words(`yemi mola bayo leke goke soji dipe niran sanya diran kanmi jobi yinde miluyi kunmi biyi
      sina tola wumi lade gbade joke nuga loye rinde sanmi tayo`),
  ),
});
const igbo = givenThenFamily({
  women: mixed(
    [4, skewed(english.women)],
    [
      6,
      skewed(
        words('Ngozi Chioma Adaeze Ifeoma Nneka Amaka Uchenna Chidinma Obioma Nkechi Ogechi Ebele'),
      ),
    ],
  ),
  men: mixed(
    [4, skewed(english.men)],
    [
      6,
      skewed(
        words(
          'Chukwuemeka Obinna Ifeanyi Chinedu Kelechi Uche Nnamdi Ikenna Okechukwu Azubuike Emeka',
        ),
      ),
    ],
  ),
  family: composed(
    words('oko nwa eze oke chuku obi ani nna udo ogu ike mba onye ama uzo iwu agu'),
    words(`nkwo rie afor ji ora kwu bueze chi ma beka nna meka doro fule wuchi kafor ro bike
      kammadu lue zie ndu bata gwu`),
  ),
});

export const nigerian: Draw<Person> = mixed([1, yoruba], [1, igbo]);
