import type { Messages } from './messages.ts';

export const tr = {
  testMode: 'Test modu: gerçek para aktarılmaz.',
  payTo: (name) => `Ödeme: ${name}`,
  order: 'Siparişiniz',
  allItems: (count) => `Tüm ürünler (${count})`,
  otherCharges: 'Vergi, kargo ve diğer ücretler',
  discount: 'İndirim',
  total: 'Toplam',
  paid: 'Ödenen',
  remaining: 'Kalan tutar',
  payableUntil: 'Son ödeme zamanı',

  howToPay: 'Nasıl ödemek istersiniz?',
  method: 'Ödeme yöntemi',
  card: 'Kart',
  bankTransfer: (currency) => `Banka havalesi (${currency})`,
  wireTransfer: 'Uluslararası banka havalesi',
  outcome: 'Bu testte ne olsun?',
  outcomes: {
    succeeds: 'Ödeme başarılı olsun',
    fails: 'Ödeme reddedilsin',
    further_step: 'Ek bir adım gereksin',
    takes_a_while: 'Ödeme biraz sürsün',
    pays_part: 'Tutarın yalnızca bir kısmı ödensin',
    pays_too_much: 'Fazla ödeme yapılsın',
  },
  pay: (amount) => `${amount} öde`,
  partlyPaid: (paid, remaining) =>
    `${paid} tutarındaki ödemenizi aldık. Kalan ${remaining} tutarını şimdi ödeyebilirsiniz.`,
  backToShop: 'Mağazaya dön',

  draftTitle: 'Henüz ödenecek bir şey yok',
  draftText: (name) => `${name} bu siparişi hâlâ hazırlıyor. Hazır olduğunda burada göreceksiniz.`,
  stepTitle: 'Bir adım daha',
  stepText: (method, amount) =>
    `${amount} tutarındaki ödemeniz (${method}) onayınızı bekliyor. Test modunda sonucuna siz karar verirsiniz.`,
  stepConfirm: 'Ödemeyi onayla',
  stepDecline: 'Ödemeyi reddet',
  stepOther: 'Başka bir ödeme yöntemi seç',
  progressTitle: 'Ödemeniz işleniyor',
  progressText: 'Bu biraz sürebilir. Lütfen yeniden ödeme yapmayın; sonuç bu sayfada görünecek.',
  checkAgain: 'Yeniden kontrol et',
  unavailableTitle: 'Burada ödeme yapılamıyor',
  unavailableText: (name) =>
    `Bu sipariş için kullanılabilir bir ödeme yöntemi yok. Lütfen satıcıyla iletişime geçin: ${name}.`,
  tooManyAttempts: (name) =>
    `Bu sipariş için çok fazla ödeme denemesi yapıldı. Lütfen satıcıyla iletişime geçin: ${name}.`,

  paidTitle: 'Ödemeniz alındı',
  paidText: (name) => `Teşekkür ederiz! Ödemeniz tamamlandı. Alıcı: ${name}.`,
  paidInExcess: (amount, name) =>
    `${amount} fazla ödediniz. Fark için lütfen satıcıyla iletişime geçin: ${name}.`,
  paidLate: (name) =>
    `Ödeme, süre dolduktan sonra ulaştı. Siparişinizin hâlâ geçerli olup olmadığını lütfen satıcıya sorun: ${name}.`,
  returnTo: (name) => `Satıcıya dön: ${name}`,

  expiredTitle: 'Bu ödeme bağlantısının süresi doldu',
  expiredByTime: 'Ödeme süresi sona erdi.',
  expiredByMerchant: (name) => `${name} bu ödeme talebini kapattı.`,
  expiredAdvice: (name) =>
    `Artık burada ödeme yapılamaz. Lütfen satıcıdan yeni bir bağlantı isteyin: ${name}.`,
  expiredPartlyPaid: (amount, name) =>
    `Şimdiye kadar ${amount} ödediniz. Bu konuda lütfen satıcıyla iletişime geçin: ${name}.`,
  expiredInProgress: 'Bir ödeme hâlâ işleniyordu. Ulaşırsa burada gösterilecek.',

  declined: 'Ödeme reddedildi ve sizden para çekilmedi. Lütfen yeniden deneyin veya başka bir yöntem seçin.',
  alreadyInProgress: 'Şu anda işlenen bir ödeme var. Lütfen sonucunu bekleyin.',
  notPayable: 'Bu ödeme başlatılamadı. Sayfa güncel durumu gösteriyor.',
  formUsed: 'Bu form daha önce gönderildi. Yeniden ödemeden önce lütfen güncel durumu kontrol edin.',
  amountChanged: 'Tutar değişti. Lütfen kontrol edip yeniden ödeyin.',
  badInput: 'Lütfen bir ödeme yöntemi ve test sonucu seçip yeniden deneyin.',
  stepOver: 'Bu adım artık açık değil. Sayfa güncel durumu gösteriyor.',

  payments: 'Ödemeler',
  viewReceipt: 'Makbuzu görüntüle',
  receiptTitle: 'Makbuz',
  receiptFrom: (name) => `Makbuz – ${name}`,
  print: 'Yazdır',
  backToPayment: 'Ödemeye dön',
  date: 'Tarih',
  amount: 'Tutar',
  payee: 'Alıcı',
  reference: 'Ödeme referansı',
  orderReference: 'Sipariş referansı',
  session: 'Ödeme oturumu',

  notFoundTitle: 'Bu ödeme bağlantısı bulunamadı',
  notFoundText: 'Lütfen adresin eksiksiz olduğunu kontrol edin veya mağazadan yeni bir bağlantı isteyin.',
  noReceiptTitle: 'Henüz makbuz yok',
  noReceiptText: 'Bir ödeme ulaştığında makbuz burada görünecek.',
  refusedTitle: 'Bu istek reddedildi',
  refusedText: 'İstek başka bir siteden geldi. Lütfen ödeme bağlantınızı yeniden açıp orada ödeyin.',
  tooManyTitle: 'Lütfen biraz bekleyin',
  tooManyText: 'Çok fazla istek yapıldı. Lütfen birkaç saniye sonra yeniden deneyin.',
  troubleTitle: 'Bir sorun oluştu',
  troubleText:
    'Hata bizden kaynaklanıyor. Güncel durumu görmek için lütfen ödeme bağlantısını birazdan yeniden açın.',
  language: 'Dil',
} satisfies Messages;
