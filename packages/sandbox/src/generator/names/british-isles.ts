import type { Draw } from '../random.ts';
import { skewed } from '../random.ts';
import {
  composed,
  doubleBarrelled,
  type DrawFamily,
  families,
  gendered,
  givenThenFamily,
  joined,
  type Person,
  words,
} from './person.ts';

const women = skewed(
  words(`Mary Emma Jennifer Sarah Olivia Elizabeth Linda Patricia Jessica Susan Karen Lisa Emily
    Ashley Amanda Michelle Rebecca Laura Hannah Stephanie Rachel Amy Nicole Samantha Katherine Grace
    Charlotte Sophie Megan Lauren Victoria Kelly Chloe Alice Lucy Anna Helen Julie Heather Christine
    Angela Nancy Sandra Donna Carol Deborah Sharon Kathleen Brenda Pamela Catherine Diane Joyce
    Christina Joan Evelyn Judith Andrea Cheryl Jacqueline Martha Gloria Teresa Sara Madison Frances
    Kathryn Janice Jean Abigail Sophia Zoë Imogen Poppy Freya Harriet Beatrice Eleanor Philippa Rosie
    Molly Daisy Isabelle Georgia Caitlin Bethany Gemma Leanne Natalie Tracey Hilary Penelope Renée
    Chantelle Tamara Cordelia Winifred Mabel Florence Matilda Violet Hazel Ivy Phoebe Esmé Siân
    Bronwyn Morag Fiona Kirsty Ailsa Eilidh Rhiannon Brontë Ottilie Saskia Verity Constance`),
);

const men = skewed(
  words(`James John David Michael Robert William Thomas Daniel Matthew Christopher Andrew Joseph
    Richard Mark Steven Paul Jack Oliver George Harry Joshua Benjamin Samuel Alexander Ryan Adam
    Luke Jacob Kevin Brian Edward Anthony Charles Jason Jeffrey Timothy Nicholas Eric Jonathan
    Stephen Justin Scott Brandon Gregory Patrick Frank Raymond Dennis Tyler Aaron Owen Henry Peter
    Nathan Douglas Zachary Kyle Walter Ethan Jeremy Harold Keith Christian Roger Noah Gerald Carl
    Terry Sean Austin Arthur Lawrence Jesse Dylan Bryan Joe Jordan Billy Bruce Albert Willie Gabriel
    Logan Alan Ralph Wayne Roy Eugene Randy Vincent Russell Louis Philip Bobby Johnny Bradley Simon
    Martin Graham Stuart Nigel Trevor Clive Rupert Alfie Archie Freddie Theo Toby Hugo Jasper Felix
    Barnaby Angus Callum Hamish Fergus Ewan Gareth Rhys Dafydd Huw Lachlan Cuthbert Ambrose Silas`),
);

const common = skewed(
  words(`Smith Johnson Williams Brown Jones Davis Miller Wilson Taylor Anderson Thomas Moore Martin
    Thompson White Harris Clark Lewis Robinson Walker Young Allen King Wright Scott Hill Green Adams
    Baker Nelson Hall Campbell Mitchell Carter Roberts Phillips Evans Turner Parker Collins Edwards
    Stewart Morris Murphy Cook Rogers Morgan Cooper Peterson Bailey Reed Kelly Howard Ward Cox
    Richardson Watson Brooks Wood James Bennett Gray Hughes Price Myers Long Foster Sanders Ross
    Powell Jenkins Perry Russell Sullivan Bell Coleman Butler Henderson Barnes Fisher Simmons Patterson
    Jordan Reynolds Hamilton Graham Griffin Wallace West Cole Hayes Bryant Gibson Ellis Stevens
    Ford Marshall Owens Harrison Kennedy Wells Woods Hunt Palmer Shaw Webb Holmes Mason Simpson Rose
    Stone Dixon Hudson Grant Knight Ferguson Spencer Gardner Payne Pierce Berry Matthews Arnold
    Wagner Willis Ray Watkins Olson Carroll Duncan Snyder Hart Cunningham Bradley Lane Andrews Hicks
    Harper Fox Riley Armstrong Carpenter Weaver Greene Lawrence Elliott Sims Austin Peters Kelley
    Franklin Lawson Fields Ryan Schmidt Carr Chapman Clarke Davies Cooke Barker Atkinson Dawson
    Fletcher Pearson Lloyd Booth Barrett Saunders Poole Walsh Bird Francis Rees Parsons Hodgson Kerr
    Humphreys Pritchard Bowen Probert Llewellyn Trevithick Penrose Nancarrow Tregenza Sinclair
    Drummond Buchanan Urquhart Colquhoun Dalziel Menzies Farquharson Cruickshank Abernathy`),
);

/** Modelled on Old English place names: a beginning, a link, a kind of place. */
const fromPlaces = composed(
  words(`ash brad west nor har wood hart hol bur wal stan wil cal lang mil hal shel thorn whit red
    black marsh rad high stock new swan crom clif cot wain dun dal elm fair fen gil green had ham
    haw hazel heath hen hunt kel ken kil king kirk lam lath leigh lin lock long mar mead mer mid
    mor moss nether north oak old orm os pem pen pick pres quar raven rod rush ruth sal sand sax
    sed shaw ship sil snow south spring stain staple stead stoke stret sud sut swin tar ten thack
    thur til tod tran tre turn up wad wake war wat weather wen wether win wolf wor wrax yard yel`),
  words('∅ ∅ ∅ ∅ ing er en el s ling ter ing'),
  words(`ton ley ford ham well field worth wood bury by land den wick bourne brook stead combe cote
    more bridge gate ridge hurst thorpe stone dale cliffe mere shaw croft hill low burn grove
    thwaite stock over leigh sall more ward house kirk borough beck holme`),
);
const clan = joined(
  words('Mac Mc'),
  words(`Donald Kenzie Leod Gregor Intyre Millan Pherson Lean Kay Arthur Farlane Dougall Lachlan
    Naughton Alister Callum Quarrie Rae Kinnon Aulay Bean Corquodale Crimmon Eachern Fadyen Gillivray
    Innes Killop Lennan Nab Nicol Phail Queen Sween Tavish Vicar Whirter Coll Cracken Dermid`),
);

const englishFamily: DrawFamily = families([66, common], [30, fromPlaces], [4, clan]);

export const english: Draw<Person> = givenThenFamily({
  women,
  men,
  family: doubleBarrelled(0.03, englishFamily),
});

const americanFamily = doubleBarrelled(0.015, englishFamily);
/** English names as written in North America, with middle initials and suffixes such as Jr. */
export const american: Draw<Person> = (random) => {
  const woman = random.chance(0.5);
  const given = (woman ? women : men)(random);
  const family = americanFamily(random, woman);
  let fullName = `${given.text} ${family.text}`;
  if (random.chance(0.14)) {
    const initial = 'JMALERDCSBKTPGWHFNV'.charAt(random.below(19));
    fullName = `${given.text} ${initial}. ${family.text}`;
  }
  if (!woman && random.chance(0.02)) fullName += random.chance(0.7) ? ' Jr.' : ' III';
  return { fullName, given, family };
};

const irishStems = words(`Brien Connor Neill Reilly Sullivan Donnell Keeffe Shea Leary Rourke Hara
  Dwyer Grady Mahony Malley Toole Flaherty Gorman Hanlon Callaghan Donoghue Dowd Driscoll Halloran
  Regan Riordan Meara Loughlin Carroll Kane Hagan Farrell Brennan Boyle Cahill Doherty Gallagher`);
const apostrophe = words("O' O’");
const irishFamily = families(
  [34, joined(apostrophe, irishStems)],
  [
    46,
    skewed(
      words(`Murphy Kelly Walsh Byrne Ryan Doyle McCarthy Gallagher Doherty Kennedy Lynch Murray Quinn
        Moore McLoughlin Carroll Connolly Daly Wilson Dunne Brennan Burke Collins Clarke Johnston
        Hughes Farrell Fitzgerald Brown Martin Maguire Nolan Flynn Thompson Callaghan Duffy Mahony
        Healy Power McGrath Boyle Brady Foley Sheridan Kavanagh Keane Hayes Cullen Whelan Moran
        Fitzpatrick Tierney Costello Geraghty Heffernan Mulcahy Prendergast Gilhooly`),
    ),
  ],
  [
    8,
    gendered(`Ó_Briain/Ní_Bhriain Ó_Súilleabháin/Ní_Shúilleabháin Ó_Murchú/Ní_Mhurchú
      Ó_Conchúir/Ní_Chonchúir Ó_Néill/Ní_Néill Ó_Dónaill/Ní_Dhónaill Ó_Ceallaigh/Ní_Cheallaigh
      Mac_Cárthaigh/Nic_Chárthaigh Mac_Gearailt/Nic_Gearailt Ó_Cinnéide/Ní_Chinnéide`),
  ],
  [
    12,
    joined(
      words('Mc Mac'),
      words(`Cabe Cann Conville Cormack Daid Elroy Enroe Garry Geough Gillicuddy Ginley Govern Guinness
        Hugh Inerney Keown Kenna Mahon Manus Nally Namara Partland Quaid Shane Sharry Sweeney Tiernan`),
    ),
  ],
);

export const irish: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Mary Aoife Ciara Niamh Sinéad Siobhán Róisín Caoimhe Gráinne Orla Sarah Emma Máire Bríd
      Deirdre Clodagh Saoirse Áine Eimear Nuala Éabha Maeve Fionnuala Ailbhe Úna Bridget Kathleen
      Noreen Maureen Sorcha Gobnait Muireann Aisling`),
  ),
  men: skewed(
    words(`Patrick Seán Conor Pádraig Cian Liam Declan Eoin Ciarán Brendan Aidan Michael John Oisín
      Fionn Darragh Colm Donal Niall Ruairí Séamus Cathal Diarmuid Kieran Tadhg Eoghan Lorcan Ronan
      Fintan Cormac Barry Shane Rory Tomás Micheál Dáithí Fiachra Garrett`),
  ),
  family: irishFamily,
});
