import type { Messages } from './messages.ts';

export const pl = {
  testMode: 'Tryb testowy: nie są przekazywane żadne pieniądze.',
  payTo: (name) => `Płatność dla: ${name}`,
  order: 'Państwa zamówienie',
  allItems: (count) => `Wszystkie pozycje (${count})`,
  otherCharges: 'Podatki, dostawa i inne opłaty',
  discount: 'Rabat',
  total: 'Razem',
  paid: 'Zapłacono',
  remaining: 'Pozostało do zapłaty',
  payableUntil: 'Termin płatności',

  howToPay: 'Jak chcą Państwo zapłacić?',
  method: 'Metoda płatności',
  card: 'Karta',
  bankTransfer: (currency) => `Przelew bankowy (${currency})`,
  wireTransfer: 'Międzynarodowy przelew bankowy',
  outcome: 'Co ma się wydarzyć w tym teście?',
  outcomes: {
    succeeds: 'Płatność się powiedzie',
    fails: 'Płatność zostanie odrzucona',
    further_step: 'Potrzebny będzie dodatkowy krok',
    takes_a_while: 'Płatność chwilę potrwa',
    pays_part: 'Wpłynie tylko część kwoty',
    pays_too_much: 'Wpłynie za dużo',
  },
  pay: (amount) => `Zapłać ${amount}`,
  partlyPaid: (paid, remaining) => `Otrzymaliśmy ${paid}. Pozostałą kwotę ${remaining} można zapłacić teraz.`,
  backToShop: 'Powrót do sklepu',

  draftTitle: 'Nie ma jeszcze nic do zapłaty',
  draftText: (name) => `${name} przygotowuje jeszcze to zamówienie. Gdy będzie gotowe, pojawi się tutaj.`,
  stepTitle: 'Jeszcze jeden krok',
  stepText: (method, amount) =>
    `Płatność na kwotę ${amount} (${method}) czeka na Państwa potwierdzenie. W trybie testowym to Państwo decydują o jej wyniku.`,
  stepConfirm: 'Potwierdź płatność',
  stepDecline: 'Odrzuć płatność',
  stepOther: 'Wybierz inną metodę płatności',
  progressTitle: 'Płatność jest w toku',
  progressText: 'To może chwilę potrwać. Prosimy nie płacić ponownie: wynik pojawi się na tej stronie.',
  checkAgain: 'Sprawdź ponownie',
  unavailableTitle: 'Tutaj nie można zapłacić',
  unavailableText: (name) =>
    `Dla tego zamówienia nie jest dostępna żadna metoda płatności. Prosimy o kontakt ze sprzedawcą: ${name}.`,
  tooManyAttempts: (name) =>
    `Było zbyt wiele prób zapłaty za to zamówienie. Prosimy o kontakt ze sprzedawcą: ${name}.`,

  paidTitle: 'Płatność otrzymana',
  paidText: (name) => `Dziękujemy! Płatność została zakończona. Odbiorca: ${name}.`,
  paidInExcess: (amount, name) =>
    `Nadpłata wynosi ${amount}. W sprawie różnicy prosimy o kontakt ze sprzedawcą: ${name}.`,
  paidLate: (name) =>
    `Płatność wpłynęła po terminie. Prosimy zapytać sprzedawcę, czy zamówienie jest nadal aktualne: ${name}.`,
  returnTo: (name) => `Powrót: ${name}`,

  expiredTitle: 'Ten link do płatności wygasł',
  expiredByTime: 'Termin płatności minął.',
  expiredByMerchant: (name) => `Sprzedawca zamknął to żądanie płatności: ${name}.`,
  expiredAdvice: (name) => `Nie można już tutaj zapłacić. O nowy link prosimy zapytać sprzedawcę: ${name}.`,
  expiredPartlyPaid: (amount, name) =>
    `Zapłacono już ${amount}. W tej sprawie prosimy o kontakt ze sprzedawcą: ${name}.`,
  expiredInProgress: 'Jedna płatność była jeszcze w toku. Jeśli wpłynie, pojawi się tutaj.',

  declined:
    'Płatność została odrzucona i nic nie pobrano. Prosimy spróbować ponownie lub wybrać inną metodę.',
  alreadyInProgress: 'Inna płatność jest już w toku. Prosimy poczekać na jej wynik.',
  notPayable: 'Nie udało się rozpocząć tej płatności. Strona pokazuje aktualny stan.',
  formUsed: 'Ten formularz został już wysłany. Przed ponowną zapłatą prosimy sprawdzić aktualny stan.',
  amountChanged: 'Kwota się zmieniła. Prosimy ją sprawdzić i zapłacić ponownie.',
  badInput: 'Prosimy wybrać metodę płatności oraz wynik testu i spróbować ponownie.',
  stepOver: 'Ten krok nie jest już dostępny. Strona pokazuje aktualny stan.',

  payments: 'Płatności',
  viewReceipt: 'Zobacz potwierdzenie',
  receiptTitle: 'Potwierdzenie płatności',
  receiptFrom: (name) => `Potwierdzenie płatności – ${name}`,
  print: 'Drukuj',
  backToPayment: 'Powrót do płatności',
  date: 'Data',
  amount: 'Kwota',
  payee: 'Odbiorca',
  reference: 'Numer płatności',
  orderReference: 'Numer zamówienia',
  session: 'Sesja płatności',

  notFoundTitle: 'Ten link do płatności nie istnieje',
  notFoundText: 'Prosimy sprawdzić, czy adres jest kompletny, lub poprosić sklep o nowy link.',
  noReceiptTitle: 'Nie ma jeszcze potwierdzenia',
  noReceiptText: 'Potwierdzenie pojawi się tutaj, gdy wpłynie płatność.',
  refusedTitle: 'To żądanie zostało odrzucone',
  refusedText: 'Pochodziło z innej strony. Prosimy ponownie otworzyć link do płatności i tam zapłacić.',
  tooManyTitle: 'Prosimy chwilę poczekać',
  tooManyText: 'Było zbyt wiele żądań. Prosimy spróbować ponownie za kilka sekund.',
  troubleTitle: 'Coś poszło nie tak',
  troubleText:
    'Błąd leży po naszej stronie. Prosimy za chwilę ponownie otworzyć link do płatności, aby sprawdzić stan.',
  language: 'Język',
} satisfies Messages;
