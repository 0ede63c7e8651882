import { type Draw, skewed } from '../random.ts';
import { composed, families, givenThenFamily, type Person, words } from './person.ts';

export const turkish: Draw<Person> = givenThenFamily({
  women: skewed(
    words(`Fatma Ayşe Emine Hatice Zeynep Elif Meryem Şerife Zehra Sultan Hülya Gülşen Özlem Esra Büşra
      Merve Sibel Ebru Pınar Çiğdem Nurgül İpek Aslı Ceren Derya Tuğba Yasemin Filiz Şule Gamze Ece
      Defne Nehir Ayşegül Selin Dilek Songül Hanife Gökçe Işıl İrem`),
  ),
  men: skewed(
    words(`Mehmet Mustafa Ahmet Ali Hüseyin Hasan İbrahim İsmail Osman Yusuf Murat Ömer Ramazan Emre
      Burak Can Kerem Mert Serkan Uğur Yiğit Çağlar Barış Gökhan Onur Volkan Tolga Kaan Ümit Şükrü
      Halil Süleyman Recep Fatih Eren Oğuz Çınar Alp Tuncay İlker`),
  ),
  family: families(
    [
      56,
      skewed(
        words(`Yılmaz Kaya Demir Çelik Şahin Yıldız Yıldırım Öztürk Aydın Özdemir Arslan Doğan Kılıç Aslan
          Çetin Kara Koç Kurt Özkan Şimşek Polat Korkmaz Çakır Güneş Aksoy Bulut Yavuz Keskin Ünal Turan
          Gül Özer Işık Avcı Bozkurt Tekin Taş Köse Yüksel Ateş Aktaş Güler Coşkun Karaca Tunç Uçar Acar
          Sarı Duman Kaplan Ekinci Türk Özcan Ay Bayram Gündüz Çiftçi Demirci Karakaya Ergin Toprak
          Soylu Güngör Erdem Uysal Sönmez Tuncer Gökçe Altun Ceylan Özbek İnan İlhan Ülker`),
      ),
    ],
    [
      34,
      composed(
        words('∅ ∅ kara ak boz'),
        words(`demir taş gül yıldız öz er kaya yel güneş gök ay kan alp bey tan gün tunç çelik altın
          gümüş bakır deniz dağ tepe ova çam meşe kavak söğüt çınar ırmak pınar su çay bulut yağmur kar
          boran dolu sarı kızıl yeşil mor genç koca uz tok şen yüce ulu bil us`),
        words(`oğlu taş demir kan türk soy bay er han kaya bulut su gül doğan alp pınar dağ çelik man
          tekin kurt dal yol tepe ören can şen ay gör sever bilir sal yurt sel ok`),
      ),
    ],
    [
      10,
      composed(
        words('hacı molla deli koca topal ∅ kör uzun kara sarı'),
        words(`ömer ali hasan veli mehmet osman bekir yakup salih mustafa ahmet yusuf halil musa süleyman
          mahmut kadir recep şaban`),
        words('oğlu'),
      ),
    ],
  ),
});
