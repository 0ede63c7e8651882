/** China, Taiwan, Japan and Korea: family name first, without a space except in Japan. */
import { type Draw, mixed, skewed } from '../random.ts';
import { families, joined, type NameLists, pairs, type Person } from './person.ts';

const familyThenGiven =
  (space: string, { women, men, family }: NameLists): Draw<Person> =>
  (random) => {
    const woman = random.chance(0.5);
    const first = family(random, woman);
    const given = (woman ? women : men)(random);
    return { fullName: first.text + space + given.text, given, family: first };
  };

const chineseMen =
  pairs(`伟:wei 强:qiang 磊:lei 军:jun 洋:yang 勇:yong 杰:jie 涛:tao 超:chao 明:ming
  刚:gang 平:ping 辉:hui 鹏:peng 华:hua 飞:fei 鑫:xin 波:bo 斌:bin 宇:yu 浩:hao 凯:kai 健:jian 俊:jun
  帆:fan 旭:xu 宁:ning 龙:long 林:lin 阳:yang 亮:liang 轩:xuan 博:bo 毅:yi 峰:feng 哲:zhe`);
const chineseWomen = pairs(`芳:fang 娜:na 敏:min 静:jing 丽:li 艳:yan 娟:juan 霞:xia 玲:ling 婷:ting
  雪:xue 颖:ying 倩:qian 琳:lin 慧:hui 莉:li 萍:ping 红:hong 梅:mei 燕:yan 洁:jie 欣:xin 怡:yi 悦:yue
  佳:jia 雨:yu 晨:chen 梦:meng 瑶:yao 薇:wei 蕾:lei 诗:shi 涵:han 英:ying 珍:zhen`);
export const chinese: Draw<Person> = familyThenGiven('', {
  women: mixed(
    [3, skewed(chineseWomen)],
    [
      7,
      joined(
        pairs(
          '晓:xiao 子:zi 雅:ya 思:si 秀:xiu 美:mei 春:chun 玉:yu 文:wen 小:xiao 桂:gui 若:ruo 心:xin 可:ke',
        ),
        chineseWomen,
      ),
    ],
  ),
  men: mixed(
    [3, skewed(chineseMen)],
    [
      7,
      joined(
        pairs(
          '建:jian 志:zhi 子:zi 文:wen 国:guo 海:hai 天:tian 嘉:jia 家:jia 一:yi 梓:zi 晓:xiao 永:yong 德:de 少:shao 振:zhen',
        ),
        chineseMen,
      ),
    ],
  ),
  family: skewed(
    pairs(`王:wang 李:li 张:zhang 刘:liu 陈:chen 杨:yang 黄:huang 赵:zhao 吴:wu 周:zhou 徐:xu 孙:sun 马:ma
      朱:zhu 胡:hu 郭:guo 何:he 林:lin 高:gao 罗:luo 郑:zheng 梁:liang 谢:xie 宋:song 唐:tang 许:xu 韩:han
      冯:feng 邓:deng 曹:cao 彭:peng 曾:zeng 肖:xiao 田:tian 董:dong 袁:yuan 潘:pan 于:yu 蒋:jiang 蔡:cai
      余:yu 杜:du 叶:ye 程:cheng 苏:su 魏:wei 吕:lyu 丁:ding 任:ren 沈:shen 姚:yao 卢:lu 姜:jiang 崔:cui
      钟:zhong 谭:tan 陆:lu 汪:wang 范:fan 金:jin 石:shi 廖:liao 贾:jia 夏:xia 韦:wei 付:fu 方:fang 白:bai
      邹:zou 孟:meng 熊:xiong 秦:qin 邱:qiu 江:jiang 尹:yin 薛:xue 闫:yan 段:duan 雷:lei 侯:hou 龙:long
      史:shi 陶:tao 黎:li 贺:he 顾:gu 毛:mao 郝:hao 龚:gong 邵:shao 万:wan 钱:qian 严:yan 欧阳:ouyang
      司马:sima 上官:shangguan 诸葛:zhuge`),
    1.1,
  ),
});

/** In traditional characters, romanized as in Taiwanese passports. */
export const taiwanese: Draw<Person> = familyThenGiven('', {
  women: joined(
    pairs('怡:yi 淑:shu 雅:ya 美:mei 佳:chia 惠:hui 麗:li 秀:hsiu 詩:shih 心:hsin'),
    pairs(
      '君:chun 芬:fen 玲:ling 婷:ting 華:hua 慧:hui 珍:chen 萱:hsuan 蓉:jung 穎:ying 雯:wen 卿:ching',
    ),
  ),
  men: joined(
    pairs('志:chih 家:chia 俊:chun 建:chien 冠:kuan 宗:tsung 承:cheng 子:tzu 柏:po 文:wen 國:kuo'),
    pairs(
      '豪:hao 明:ming 宏:hung 傑:chieh 翰:han 偉:wei 廷:ting 龍:lung 賢:hsien 憲:hsien 銘:ming',
    ),
  ),
  family: skewed(
    pairs(`陳:chen 林:lin 黃:huang 張:chang 李:lee 王:wang 吳:wu 劉:liu 蔡:tsai 楊:yang 許:hsu 鄭:cheng
      謝:hsieh 洪:hung 郭:kuo 邱:chiu 曾:tseng 廖:liao 賴:lai 徐:hsu 周:chou 葉:yeh 蘇:su 莊:chuang
      呂:lu 江:chiang 簡:chien 鍾:chung 歐陽:ouyang`),
    1.1,
  ),
});

const koreanGiven = (firsts: string, seconds: string) => joined(pairs(firsts), pairs(seconds));
export const korean: Draw<Person> = familyThenGiven('', {
  women: koreanGiven(
    '지:ji 서:seo 예:ye 하:ha 은:eun 수:su 유:yu 혜:hye 미:mi 소:so 가:ga 채:chae 보:bo 경:kyung 현:hyun',
    '연:yeon 영:young 원:won 희:hee 민:min 아:ah 윤:yoon 린:rin 숙:sook 선:sun 정:jung 진:jin 주:ju 빈:bin',
  ),
  men: koreanGiven(
    '민:min 지:ji 성:sung 도:do 시:si 태:tae 영:young 재:jae 승:seung 동:dong 정:jung 건:geon 상:sang 기:ki',
    '준:jun 우:woo 호:ho 훈:hoon 현:hyun 석:seok 진:jin 혁:hyuk 빈:bin 환:hwan 수:soo 철:chul 원:won 규:kyu',
  ),
  family: skewed(
    pairs(`김:kim 이:lee 박:park 최:choi 정:jung 강:kang 조:cho 윤:yoon 장:jang 임:lim 한:han 오:oh 서:seo
      신:shin 권:kwon 황:hwang 안:ahn 송:song 전:jeon 홍:hong 유:yoo 고:ko 문:moon 양:yang 손:son 배:bae
      백:baek 허:heo 남:nam 심:shim 노:noh 하:ha 곽:kwak 성:sung 차:cha 주:joo 우:woo 구:koo 민:min 나:na
      진:jin 지:ji 엄:um 채:chae 원:won 천:chun 방:bang 공:kong 현:hyun 함:ham 남궁:namgung 황보:hwangbo
      제갈:jegal 선우:sunwoo`),
    1.3,
  ),
});

/** Parses `kanji:kana:romaji` into the kanji and the kana spellings. */
const withReading = (list: string) => {
  const entries = list.split(/\s+/).map((entry) => entry.split(':'));
  return {
    kanji: pairs(entries.map(([kanji, , romaji]) => `${kanji}:${romaji}`).join(' ')),
    kana: pairs(entries.map(([, kana, romaji]) => `${kana}:${romaji}`).join(' ')),
  };
};
const japaneseFamily = withReading(`佐藤:サトウ:sato 鈴木:スズキ:suzuki 高橋:タカハシ:takahashi
  田中:タナカ:tanaka 伊藤:イトウ:ito 渡辺:ワタナベ:watanabe 山本:ヤマモト:yamamoto 中村:ナカムラ:nakamura
  小林:コバヤシ:kobayashi 加藤:カトウ:kato 吉田:ヨシダ:yoshida 山田:ヤマダ:yamada 佐々木:ササキ:sasaki
  山口:ヤマグチ:yamaguchi 松本:マツモト:matsumoto 井上:イノウエ:inoue 木村:キムラ:kimura 林:ハヤシ:hayashi
  斎藤:サイトウ:saito 清水:シミズ:shimizu 山崎:ヤマザキ:yamazaki 森:モリ:mori 池田:イケダ:ikeda
  橋本:ハシモト:hashimoto 阿部:アベ:abe 石川:イシカワ:ishikawa 山下:ヤマシタ:yamashita 中島:ナカジマ:nakajima
  前田:マエダ:maeda 藤田:フジタ:fujita 小川:オガワ:ogawa 後藤:ゴトウ:goto 岡田:オカダ:okada
  長谷川:ハセガワ:hasegawa 村上:ムラカミ:murakami 近藤:コンドウ:kondo 石井:イシイ:ishii 坂本:サカモト:sakamoto
  遠藤:エンドウ:endo 青木:アオキ:aoki 藤井:フジイ:fujii 西村:ニシムラ:nishimura 福田:フクダ:fukuda
  太田:オオタ:ota 三浦:ミウラ:miura 岡本:オカモト:okamoto 松田:マツダ:matsuda 中川:ナカガワ:nakagawa
  中野:ナカノ:nakano 原田:ハラダ:harada 小野:オノ:ono 田村:タムラ:tamura 竹内:タケウチ:takeuchi
  金子:カネコ:kaneko 和田:ワダ:wada 中山:ナカヤマ:nakayama 石田:イシダ:ishida 上田:ウエダ:ueda
  森田:モリタ:morita 柴田:シバタ:shibata 酒井:サカイ:sakai 工藤:クドウ:kudo 横山:ヨコヤマ:yokoyama
  宮崎:ミヤザキ:miyazaki 宮本:ミヤモト:miyamoto 内田:ウチダ:uchida 高木:タカギ:takagi 安藤:アンドウ:ando
  谷口:タニグチ:taniguchi 大野:オオノ:ono 丸山:マルヤマ:maruyama 今井:イマイ:imai`);
const japaneseMen =
  withReading(`翔太:ショウタ:shota 大輔:ダイスケ:daisuke 健太:ケンタ:kenta 誠:マコト:makoto
  拓也:タクヤ:takuya 蓮:レン:ren 陽翔:ハルト:haruto 太郎:タロウ:taro 一郎:イチロウ:ichiro 健一:ケンイチ:kenichi
  浩:ヒロシ:hiroshi 隆:タカシ:takashi 直樹:ナオキ:naoki 和也:カズヤ:kazuya 学:マナブ:manabu 悠斗:ユウト:yuto
  達也:タツヤ:tatsuya 亮:リョウ:ryo 剛:ツヨシ:tsuyoshi 修:オサム:osamu 勇気:ユウキ:yuki 智也:トモヤ:tomoya
  康平:コウヘイ:kohei 秀樹:ヒデキ:hideki 雄一:ユウイチ:yuichi 慎吾:シンゴ:shingo`);
const japaneseWomen =
  withReading(`陽菜:ヒナ:hina 美咲:ミサキ:misaki 葵:アオイ:aoi 結衣:ユイ:yui 花子:ハナコ:hanako
  由美:ユミ:yumi 恵子:ケイコ:keiko 陽子:ヨウコ:yoko 直美:ナオミ:naomi 真由美:マユミ:mayumi 愛:アイ:ai 彩:アヤ:aya
  優子:ユウコ:yuko 明美:アケミ:akemi さくら:サクラ:sakura ゆい:ユイ:yui あかり:アカリ:akari みゆき:ミユキ:miyuki
  ひかり:ヒカリ:hikari かおり:カオリ:kaori 智子:トモコ:tomoko 裕子:ヒロコ:hiroko 久美子:クミコ:kumiko
  莉子:リコ:riko 凛:リン:rin 千尋:チヒロ:chihiro 幸子:サチコ:sachiko 典子:ノリコ:noriko`);

const kanjiLists: NameLists = {
  women: skewed(japaneseWomen.kanji),
  men: skewed(japaneseMen.kanji),
  family: families(
    [74, skewed(japaneseFamily.kanji)],
    [
      26,
      joined(
        pairs(`秋:aki 浅:asa 飯:ii 石:ishi 稲:ina 岩:iwa 梅:ume 江:e 大:o 奥:oku 片:kata 北:kita 熊:kuma
          栗:kuri 黒:kuro 桑:kuwa 小:ko 桜:sakura 白:shira 杉:sugi 関:seki 高:taka 竹:take 立:tachi 玉:tama
          土:tsuchi 寺:tera 富:tomi 永:naga 長:naga 新:nii 西:nishi 根:ne 萩:hagi 早:haya 平:hira 広:hiro
          深:fuka 古:furu 細:hoso 堀:hori 前:mae 牧:maki 松:matsu 丸:maru 水:mizu 三:mi 南:minami 宮:miya
          元:moto 柳:yanagi 矢:ya 安:yasu 横:yoko 吉:yoshi 若:waka`),
        pairs(`田:da 川:kawa 村:mura 山:yama 島:shima 崎:zaki 野:no 原:hara 口:guchi 沢:sawa 谷:tani 木:ki
          森:mori 岡:oka 内:uchi 尾:o 瀬:se 塚:zuka 橋:hashi 林:bayashi 井:i 越:koshi 浜:hama 池:ike
          坂:saka 倉:kura 畑:hata 代:shiro 部:be`),
      ),
    ],
  ),
};
const kanaLists: NameLists = {
  women: skewed(japaneseWomen.kana),
  men: skewed(japaneseMen.kana),
  family: skewed(japaneseFamily.kana),
};

/** Mostly kanji, some with a full-width space or without any, and some in kana. */
export const japanese: Draw<Person> = mixed(
  [70, familyThenGiven(' ', kanjiLists)],
  [14, familyThenGiven('\u3000', kanjiLists)],
  [8, familyThenGiven('', kanjiLists)],
  [8, familyThenGiven('\u3000', kanaLists)],
);
