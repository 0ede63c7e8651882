/** Companies with names in other scripts. Each word has a romanization, for the domain. */
import { joined, pairs, type Word } from '../names/person.ts';
import type { Draw } from '../random.ts';
import { type CompanyVocabulary, vocabulary } from './company.ts';

const cyrillic = (forms: string[], trader: string, brand: Draw<Word>) =>
  vocabulary(
    ['{form} «{brand}»', `${trader} {family}`, '{form} «{brand}-{brand}»', '{form} "{brand}"'],
    pairs('Сервис:servis'),
    forms,
    brand,
  );

export const otherCompanies = {
  russian: cyrillic(
    ['ООО', 'АО', 'ПАО', 'ЗАО'],
    'ИП',
    joined(
      pairs(`Север:sever Восток:vostok Вектор:vektor Альфа:alfa Рост:rost Импульс:impuls Горизонт:gorizont
        Меридиан:meridian Спектр:spektr Омега:omega Простор:prostor Берег:bereg Гранит:granit
        Старт:start Контур:kontur Маяк:mayak Орион:orion Пульс:puls Радиус:radius`),
      pairs(`строй:stroy торг:torg тех:tekh сервис:servis пром:prom агро:agro транс:trans маш:mash
        мед:med лайн:line плюс:plus инвест:invest снаб:snab`),
    ),
  ),
  ukrainian: cyrillic(
    ['ТОВ', 'ПП', 'ПрАТ'],
    'ФОП',
    joined(
      pairs(`Обрій:obrii Промінь:promin Вектор:vektor Захід:zakhid Схід:skhid Джерело:dzherelo Степ:step
        Криниця:krynytsia Дніпро:dnipro Зоря:zoria`),
      pairs('буд:bud торг:torg тех:tekh сервіс:servis пром:prom агро:ahro транс:trans мед:med'),
    ),
  ),
  greek: vocabulary(
    [
      '{family} {trade} {form}',
      '{family} & ΣΙΑ Ο.Ε.',
      'Αφοί {family} {form}',
      '{brand} Ελλάς {form}',
    ],
    pairs(`Εμπορική:emporiki Τεχνική:techniki Μεταφορική:metaforiki Ναυτιλιακή:naftiliaki
      Τουριστική:touristiki Κατασκευαστική:kataskevastiki Αρτοποιία:artopoiia`),
    ['Α.Ε.', 'Ε.Π.Ε.', 'Ο.Ε.', 'Ι.Κ.Ε.'],
  ),
  arabic: vocabulary(
    ['شركة {brand} {trade}', 'مؤسسة {brand} {trade}', 'مجموعة {brand}', '{brand} {trade} {form}'],
    pairs(`للتجارة:trading للمقاولات:contracting للصناعة:industry للنقل:transport للسياحة:tourism
      للتكنولوجيا:technology للأغذية:foods للاستشارات:consulting للعقارات:realestate`),
    ['ذ.م.م', 'ش.م.م', 'ش.م.ع'],
    joined(
      pairs(`النور:alnoor الأمل:alamal النخيل:alnakheel الفجر:alfajr الواحة:alwaha الهلال:alhilal
        البركة:albaraka السلام:alsalam الريان:alrayan الصقر:alsaqr المدينة:almadina الشروق:alshorouk
        الياسمين:alyasmin اللؤلؤة:allulua المنارة:almanara`),
      pairs('∅: _الدولية:intl _المتحدة:united _العربية:arabia _الحديثة:modern'),
    ),
  ),
  hebrew: vocabulary(
    ['{brand} {trade} {form}', '{family} {trade} {form}', '{family} ובניו {form}', 'קבוצת {brand}'],
    pairs(
      'מערכות:systems תוכנה:software בנייה:construction הובלות:logistics מזון:foods ייעוץ:consulting',
    ),
    ['בע"מ', 'ושות׳'],
    joined(
      pairs(
        'אור:or נוף:nof גל:gal שביט:shavit תבור:tavor כרמל:karmel ארז:erez רימון:rimon ברוש:brosh',
      ),
      pairs('∅: _ים:yam _צפון:tzafon -טק:tech _נט:net _הגליל:hagalil'),
    ),
  ),
  chinese: vocabulary(
    ['{brand}{trade}{form}'],
    pairs(`科技:tech 贸易:trade 电子:electronics 建筑:build 食品:food 物流:logistics 文化传媒:media 纺织:textile
      机械:machinery 咨询:consulting`),
    ['有限公司', '有限责任公司', '股份有限公司'],
    joined(
      pairs('北京:bj 上海:sh 深圳:sz 广州:gz 杭州:hz 成都:cd 苏州:su 武汉:wh 南京:nj 青岛:qd'),
      pairs(
        '华:hua 鑫:xin 宏:hong 瑞:rui 泰:tai 德:de 博:bo 恒:heng 盛:sheng 永:yong 嘉:jia 金:jin',
      ),
      pairs('信:xin 通:tong 达:da 源:yuan 海:hai 天:tian 东:dong 龙:long 星:xing 诚:cheng 丰:feng'),
    ),
  ),
  taiwanese: vocabulary(
    ['{brand}{trade}{form}'],
    pairs('科技:tech 貿易:trade 電子:electronics 營造:build 食品:food 企業:ent 國際:intl'),
    ['有限公司', '股份有限公司'],
    joined(
      pairs('華:hua 鑫:hsin 宏:hung 瑞:jui 泰:tai 德:te 聯:lien 大:ta'),
      pairs('信:hsin 通:tung 達:ta 源:yuan 豐:feng 龍:lung 星:hsing 誠:cheng'),
    ),
  ),
  japanese: vocabulary(
    [
      '株式会社{brand}{trade}',
      '{family}{trade}株式会社',
      '{brand}{trade}株式会社',
      '有限会社{family}{trade}',
      '合同会社{brand}',
    ],
    pairs(`商事:shoji 工業:kogyo 建設:kensetsu 製作所:seisakusho 運輸:unyu 食品:shokuhin 電機:denki 印刷:insatsu
      不動産:fudosan システム:system デザイン:design サービス:service`),
    ['株式会社'],
    joined(
      pairs('大:dai 東:to 新:shin 三:san 共:kyo 富:fu 栄:ei 光:ko 明:mei 北:hoku 南:nan 中:chu'),
      pairs('和:wa 洋:yo 進:shin 成:sei 興:ko 信:shin 立:ritsu 豊:ho 栄:ei 陽:yo'),
    ),
  ),
  korean: vocabulary(
    ['(주){brand}{trade}', '주식회사 {brand}{trade}', '{brand}{trade}', '㈜{brand}'],
    pairs(
      '산업:sanup 전자:elec 건설:build 물산:mulsan 식품:food 테크:tech 상사:sangsa 유통:yutong',
    ),
    ['주식회사'],
    joined(
      pairs(`대한:daehan 한빛:hanbit 새롬:saerom 미래:mirae 동방:dongbang 태양:taeyang 가람:garam 누리:nuri
        하늘:haneul 다온:daon 은하:eunha 청솔:cheongsol`),
      pairs('∅: 인터:inter 코리아:korea 바이오:bio 에너지:energy'),
    ),
  ),
  thai: vocabulary(
    ['บริษัท {brand}{trade} จำกัด', 'ห้างหุ้นส่วนจำกัด {brand}{trade}', 'บริษัท {brand}{trade} จำกัด (มหาชน)'],
    pairs('การค้า:trading ขนส่ง:transport ก่อสร้าง:construction อาหาร:food การพิมพ์:print เทคโนโลยี:tech'),
    ['จำกัด'],
    joined(
      pairs(
        'ไทย:thai สยาม:siam เจริญ:charoen ทอง:thong มงคล:mongkhon พัฒนา:phatthana ศรี:sri รุ่ง:rung',
      ),
      pairs('เจริญ:charoen ทรัพย์:sap ชัย:chai วัฒนา:watthana สิน:sin รุ่งเรือง:rungrueang อินเตอร์:inter'),
    ),
  ),
} satisfies Record<string, CompanyVocabulary>;
