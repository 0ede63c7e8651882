import { type Draw, mixed, skewed } from '../random.ts';
import { families, givenThenFamily, joined, pairs, type Person, type Word } from './person.ts';

const arabicWomen = skewed(
  pairs(`فاطمة:fatima مريم:mariam عائشة:aisha نور:nour سارة:sara زينب:zainab هدى:huda منى:mona
    ليلى:layla ياسمين:yasmin آية:aya هبة:heba رنا:rana دينا:dina سلمى:salma خديجة:khadija أمل:amal
    نادية:nadia رانيا:rania شيماء:shaimaa إيمان:eman أسماء:asmaa ريم:reem لمى:lama نورة:noura هند:hind
    سمر:samar عبير:abeer غادة:ghada جميلة:jamila سعاد:souad`),
);
const arabicMen = skewed(
  pairs(`محمد:mohamed أحمد:ahmed محمود:mahmoud علي:ali عمر:omar خالد:khaled يوسف:youssef
    مصطفى:mostafa حسن:hassan حسين:hussein إبراهيم:ibrahim عبد_الله:abdullah عبد_الرحمن:abdelrahman
    طارق:tarek كريم:karim سامي:sami ماجد:majed فيصل:faisal سلطان:sultan فهد:fahad سعد:saad ياسر:yasser
    وليد:walid هاني:hany رامي:rami زياد:ziad بلال:bilal أنس:anas حمزة:hamza عثمان:othman
    إسماعيل:ismail صالح:saleh ناصر:nasser جمال:gamal شريف:sherif منصور:mansour بدر:badr`),
);
const arabicFamily = families(
  [
    70,
    skewed(
      pairs(`المصري:almasri السيد:alsayed حداد:haddad الخطيب:alkhatib خوري:khoury النجار:alnajjar
        الشامي:alshami الحسيني:alhusseini المنصوري:almansoori القحطاني:alqahtani الغامدي:alghamdi
        العتيبي:alotaibi الحربي:alharbi الدوسري:aldossari الشهري:alshehri الزهراني:alzahrani
        المالكي:almalki الهاشمي:alhashimi العلي:alali البكري:albakri الصباغ:alsabbagh العطار:alattar
        الحلبي:alhalabi البغدادي:albaghdadi الدمشقي:aldimashqi المغربي:almaghrabi التونسي:altounsi
        الكعبي:alkaabi الشمري:alshammari العنزي:alanazi المطيري:almutairi السبيعي:alsubaie
        الفارسي:alfarsi البلوشي:albalushi الحكيم:alhakim الشريف:alsharif القاضي:alqadi
        الصالح:alsaleh الناصر:alnasser سليمان:soliman منصور:mansour شاهين:shaheen درويش:darwish
        غانم:ghanem فرج:farag رزق:rizk بدوي:badawi زيدان:zidan`),
    ),
  ],
  [
    30,
    joined(
      pairs('ال:al'),
      pairs(`طنطاو:tantaw شرقاو:sharqaw صعيد:saeed مكاو:makkaw جيزاو:gizaw فيوم:fayoum دمياط:damiat
        أسوان:aswan بصر:basr كوف:kuf موصل:mosul حمو:hamaw حمص:homs نابلس:nablus خليل:khalil غز:ghazz
        عمان:oman صنعان:sanan حضرم:hadram نجد:najd حجاز:hijaz قطر:qatar كويت:kuwait بحران:bahran
        جزائر:jazaer وهران:wahran فاس:fas مراكش:marrakesh طرابلس:tarablus بيروت:beirut لبنان:lubnan
        سودان:sudan تميم:tamim قرش:qurash أنصار:ansar خزرج:khazraj كند:kind طائ:ta مهر:mahr يافع:yafe
        رفاع:refae شاذل:shazl قادر:qader نقشبند:naqshband شافع:shafe حنف:hanaf`),
      pairs('ي:i'),
    ),
  ],
);
const arabicLists = { women: arabicWomen, men: arabicMen, family: arabicFamily };

/** A chain of names: given name, father's name, and grandfather's or family name. */
const withFather: Draw<Person> = (random) => {
  const woman = random.chance(0.5);
  const given = (woman ? arabicWomen : arabicMen)(random);
  const father = arabicMen(random);
  const family = random.chance(0.5) ? arabicMen(random) : arabicFamily(random, woman);
  return { fullName: `${given.text} ${father.text} ${family.text}`, given, family };
};

export const arabic: Draw<Person> = mixed([6, givenThenFamily(arabicLists)], [4, withFather]);

const hebrewMen: Word[] = pairs(`דוד:david יוסף:yosef משה:moshe אברהם:avraham יעקב:yaakov
  נועם:noam איתי:itay דניאל:daniel אורי:uri יונתן:yonatan עומר:omer אריאל:ariel יואב:yoav גיא:guy
  אלון:alon רון:ron עידו:ido אייל:eyal תומר:tomer שי:shai נדב:nadav עמית:amit אסף:asaf ברק:barak
  ערן:eran גיל:gil רועי:roi מתן:matan חיים:haim שמעון:shimon`);

export const hebrew: Draw<Person> = givenThenFamily({
  women: skewed(
    pairs(`נועה:noa תמר:tamar שרה:sara מיכל:michal יעל:yael רחל:rachel אביגיל:avigail מאיה:maya
      שירה:shira הילה:hila ליאת:liat אסתר:ester רותם:rotem עדי:adi ענת:anat דנה:dana אורית:orit
      גלית:galit מורן:moran קרן:keren רבקה:rivka לאה:lea חנה:hana נגה:noga טל:tal שני:shani
      ורד:vered`),
  ),
  men: skewed(hebrewMen),
  family: families(
    [
      70,
      skewed(
        pairs(`כהן:cohen לוי:levi מזרחי:mizrahi פרץ:peretz ביטון:biton דהן:dahan אברהם:avraham
          פרידמן:friedman אזולאי:azoulay מלכה:malka כץ:katz עמר:amar גבאי:gabay יוסף:yosef חדד:hadad
          אוחיון:ohayon שפירא:shapira בר:bar סויסה:suissa וקנין:vaknin אדרי:edri ברוך:baruch
          גולן:golan שמש:shemesh אשכנזי:ashkenazi שטרן:stern הררי:harari צור:tzur נחום:nahum
          סגל:segal רוזן:rosen וייס:weiss הלפרין:halperin אביטל:avital ברקוביץ:berkovich
          שחר:shachar יצחקי:yitzhaki אלמוג:almog דרור:dror נאור:naor גורן:goren ארד:arad`),
      ),
    ],
    [
      20,
      joined(
        pairs(`רוזנ:rosen גולד:gold זילבר:zilber וייס:weis שוורצ:schwarz גרינ:grin פיינ:fein
          ליכט:licht הירש:hirsh לוינ:levin בלומ:blum אפל:apel שטיינ:stein קליינ:klein וינ:wein`),
        pairs('ברג:berg שטיין:stein מן:man פלד:feld בלום:blum טל:tal הולץ:holtz באום:baum'),
      ),
    ],
    [10, joined(pairs('בן_:ben בן-:ben'), hebrewMen.slice(0, 5))],
  ),
});
