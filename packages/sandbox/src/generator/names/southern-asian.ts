/** India, Thailand and Vietnam. */
import { type Draw, mixed, skewed } from '../random.ts';
import { abroad, families, givenThenFamily, joined, pairs, type Person, words } from './person.ts';

export const hindi: Draw<Person> = givenThenFamily({
  women: skewed(
    pairs(`प्रिया:priya नेहा:neha पूजा:pooja अंजलि:anjali सुनीता:sunita कविता:kavita रेखा:rekha मीना:meena
      सीमा:seema अनीता:anita दीपिका:deepika स्वाति:swati ज्योति:jyoti रितु:ritu शालिनी:shalini निशा:nisha
      लक्ष्मी:lakshmi गीता:geeta राधा:radha आरती:aarti किरण:kiran वंदना:vandana मोनिका:monika दिव्या:divya
      श्रेया:shreya ऐश्वर्या:aishwarya मीरा:meera सुधा:sudha`),
  ),
  men: skewed(
    pairs(`राहुल:rahul अमित:amit राजेश:rajesh संजय:sanjay विकास:vikas अनिल:anil सुनील:sunil विजय:vijay
      रोहित:rohit अर्जुन:arjun मनोज:manoj दीपक:deepak अजय:ajay रवि:ravi सुरेश:suresh महेश:mahesh
      नितिन:nitin प्रकाश:prakash अशोक:ashok आदित्य:aditya करण:karan मोहन:mohan राकेश:rakesh हरीश:harish
      गौरव:gaurav विवेक:vivek नवीन:naveen सचिन:sachin`),
  ),
  family: families(
    [
      80,
      skewed(
        pairs(`शर्मा:sharma सिंह:singh कुमार:kumar गुप्ता:gupta वर्मा:verma यादव:yadav पटेल:patel
          मिश्रा:mishra जोशी:joshi अग्रवाल:agarwal चौहान:chauhan पांडे:pandey शाह:shah तिवारी:tiwari
          मेहता:mehta नायर:nair रेड्डी:reddy देशमुख:deshmukh कुलकर्णी:kulkarni पाटील:patil
          चौधरी:choudhary सक्सेना:saxena श्रीवास्तव:srivastava त्रिपाठी:tripathi भट्ट:bhatt दुबे:dubey
          ठाकुर:thakur राठौर:rathore जैन:jain कपूर:kapoor खन्ना:khanna मल्होत्रा:malhotra अरोड़ा:arora
          चोपड़ा:chopra बंसल:bansal गोयल:goyal सेठी:sethi भाटिया:bhatia राव:rao अय्यर:iyer
          पिल्लई:pillai मेनन:menon घोष:ghosh बनर्जी:banerjee मुखर्जी:mukherjee चटर्जी:chatterjee
          दास:das सेन:sen बोस:bose नाइक:naik परमार:parmar सोलंकी:solanki`),
      ),
    ],
    [
      20,
      joined(
        pairs(`सातार:satar मालवण:malvan नागपूर:nagpur सोलापूर:solapur कोल्हापूर:kolhapur पुणे:pune
          मुंबई:mumbai नाशिक:nashik जळगाव:jalgaon सांगली:sangli पंढरपूर:pandharpur इंदूर:indur
          रत्नागिरी:ratnagiri देवगड:devgad वेंगुर्ले:vengurle शिरोड:shirod पेडणे:pedne बोरी:bori
          अकोल:akol कराड:karad वाई:wai फलटण:phaltan शेवगाव:shevgaon मिरज:miraj नार्वे:narve
          चिपळूण:chiplun गोवे:gove बेळगाव:belgaum खेड:khed मांडव:mandav`),
        pairs('कर:kar'),
      ),
    ],
  ),
});

const tamilGiven = joined(
  words('Rama Bala Siva Gana Venkata Muthu Raja Krishna Chandra Shanmuga Jaya Thiru Hari Uma'),
  words(
    'nathan krishnan subramanian murthy mani rajan moorthy chandran swamy sekaran lingam kumar',
  ),
);
/** Tamil: the initial of the father's name, then the given name. */
const withInitial: Draw<Person> = (random) => {
  const given = tamilGiven(random);
  const initial = 'SKRMVPGATNJ'.charAt(random.below(11));
  const family = { text: initial, latin: initial.toLowerCase() };
  return { fullName: `${initial}. ${given.text}`, given, family };
};

const western: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Priya Kavya Ananya Divya Sneha Hetal Bhavna Jigna Komal Nandini Padma Radhika Shilpa Tanvi
      Urvashi Zarina Simran Roshni`),
  ),
  men: skewed(
    words(`Jignesh Hitesh Bhavesh Chirag Dhruv Nikhil Gopal Harsh Ketan Mihir Parth Sanjay Tejas Varun
      Yash Rustom Cyrus`),
  ),
  family: joined(
    words(`Bat Sod Dar Chin Kat Mir Ran Tal Vas Bhav Chug Dad Gul Hing Jhang Kir Lal Mal Nar Par Raj Sad
      Tek Thad Udh Wadh Bijl Chand Dev Gid Harch Ish Jag Keval Mot Nanik Pur Rup`),
    words('ani iwala wala lia andani eja walla ekar waria nani'),
  ),
});

/** India in Latin letters: names from the north, the south and the west. */
export const indian: Draw<Person> = mixed([70, abroad(hindi)], [10, withInitial], [20, western]);

export const thai: Draw<Person> = givenThenFamily({
  women: skewed(
    pairs(`สมหญิง:somying มาลี:malee สุดา:suda วันดี:wandee นภา:napha กัญญา:kanya พิมพ์ชนก:phimchanok
      ณัฐธิดา:nattida ศิริพร:siriphon อรทัย:orathai สุภาพร:suphaphon จันทร์เพ็ญ:chanphen รัตนา:rattana
      วิไล:wilai ปราณี:pranee นันทนา:nanthana ชลธิชา:chonthicha ธัญชนก:thanchanok กาญจนา:kanchana`),
  ),
  men: skewed(
    pairs(`สมชาย:somchai สมศักดิ์:somsak ประเสริฐ:prasert วิชัย:wichai สุรชัย:surachai อนันต์:anan
      ณัฐพล:natthaphon ธนากร:thanakorn กิตติ:kitti พงศกร:phongsakorn ชัยวัฒน์:chaiwat ปิยะ:piya
      นพดล:nopphadon วีระ:weera ศุภชัย:suphachai อภิชาติ:aphichat ธีรพงษ์:theeraphong
      สิทธิชัย:sitthichai จิรายุ:chirayu ภาคิน:phakin`),
  ),
  // By law a new Thai family name must be unique, so they are long compounds and rare.
  family: joined(
    pairs(`ศรี:sri วงศ์:wong ทอง:thong แสง:saeng สุข:suk บุญ:bun เจริญ:charoen รัตน:rattana พงษ์:phong
      ชัย:chai สม:som กิตติ:kitti วิเศษ:wiset ธน:thana อุดม:udom สุวรรณ:suwan จันทร์:chan พิพัฒน์:phiphat
      ไพ:phai นิล:nin มณี:mani เพชร:phet`),
    pairs(`∅: ∅: ∅: สุวรรณ:suwan รัตน์:rat ประเสริฐ:prasert เจริญ:charoen มงคล:mongkhon ไพบูลย์:phaibun
      สมบูรณ์:sombun วัฒนา:watthana พิทักษ์:phithak ประดิษฐ์:pradit อนันต์:anan วิจิตร:wichit`),
    pairs(`กุล:kun สุข:suk ชัย:chai วงศ์:wong พันธ์:phan ทอง:thong ดี:di งาม:ngam ผล:phon รักษ์:rak
      วัฒน์:wat สิริ:siri เดช:det โชติ:chot สกุล:sakun ไทย:thai นนท์:non เลิศ:loet วิทย์:wit แก้ว:kaeo
      มาศ:mat สวัสดิ์:sawat`),
  ),
});

const vietnameseFamily = skewed(
  words(`Nguyễn Trần Lê Phạm Hoàng Huỳnh Phan Vũ Võ Đặng Bùi Đỗ Hồ Ngô Dương Lý Đinh Trịnh Đoàn Lương
    Mai Tô Cao Hà Tạ Châu Thái Quách Tôn Lâm`),
  1.4,
);
const vietnameseNames = {
  women: {
    middle: skewed(words('Thị Ngọc Thu Thanh Minh Phương Hồng Kim Mỹ Bích')),
    given: skewed(
      words(`Lan Hương Hoa Linh Mai Thảo Trang Hà Ngân Nhung Hằng Thủy Yến Anh Vy Quỳnh Châu Trâm Hạnh My
        Nga Dung Tuyết Loan Phượng`),
    ),
  },
  men: {
    middle: skewed(words('Văn Hữu Đức Minh Quốc Công Thanh Anh Xuân Ngọc Đình')),
    given: skewed(
      words(`Hùng Dũng Tuấn Nam Long Hải Sơn Quân Đạt Khoa Phúc Thắng Trung Hiếu Bảo Huy Duy Khánh Việt
        Lâm Cường Tú Kiên Thịnh`),
    ),
  },
};
export const vietnamese: Draw<Person> = (random) => {
  const { middle, given: names } = random.chance(0.5) ? vietnameseNames.women : vietnameseNames.men;
  const family = vietnameseFamily(random);
  const given = names(random);
  return { fullName: `${family.text} ${middle(random).text} ${given.text}`, given, family };
};
