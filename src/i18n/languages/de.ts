import type { Messages } from './messages.ts';

export const de = {
  testMode: 'Testmodus: Es fließt kein Geld.',
  payTo: (name) => `Zahlung an ${name}`,
  order: 'Ihre Bestellung',
  allItems: (count) => `Alle Artikel (${count})`,
  otherCharges: 'Steuern, Versand und weitere Kosten',
  discount: 'Rabatt',
  total: 'Gesamtbetrag',
  paid: 'Bereits bezahlt',
  remaining: 'Noch zu zahlen',
  payableUntil: 'Bitte zahlen Sie bis',

  howToPay: 'Wie möchten Sie bezahlen?',
  method: 'Zahlungsart',
  card: 'Karte',
  bankTransfer: (currency) => `Banküberweisung (${currency})`,
  wireTransfer: 'Internationale Banküberweisung',
  outcome: 'Was soll in diesem Test geschehen?',
  outcomes: {
    succeeds: 'Die Zahlung gelingt',
    fails: 'Die Zahlung wird abgelehnt',
    further_step: 'Ein weiterer Schritt ist nötig',
    takes_a_while: 'Die Zahlung dauert eine Weile',
    pays_part: 'Nur ein Teil wird bezahlt',
    pays_too_much: 'Es wird zu viel bezahlt',
  },
  pay: (amount) => `${amount} bezahlen`,
  partlyPaid: (paid, remaining) =>
    `Wir haben ${paid} erhalten. Die restlichen ${remaining} können Sie jetzt bezahlen.`,
  backToShop: 'Zurück zum Shop',

  draftTitle: 'Noch nichts zu bezahlen',
  draftText: (name) =>
    `${name} bereitet diese Bestellung noch vor. Sobald sie fertig ist, finden Sie sie hier.`,
  stepTitle: 'Noch ein Schritt',
  stepText: (method, amount) =>
    `Ihre Zahlung von ${amount} (${method}) wartet auf Ihre Bestätigung. Im Testmodus entscheiden Sie, wie sie ausgeht.`,
  stepConfirm: 'Zahlung bestätigen',
  stepDecline: 'Zahlung ablehnen',
  stepOther: 'Andere Zahlungsart wählen',
  progressTitle: 'Ihre Zahlung wird bearbeitet',
  progressText:
    'Das kann einen Moment dauern. Bitte zahlen Sie nicht noch einmal: Das Ergebnis erscheint auf dieser Seite.',
  checkAgain: 'Erneut prüfen',
  unavailableTitle: 'Hier ist keine Zahlung möglich',
  unavailableText: (name) =>
    `Für diese Bestellung steht zurzeit keine Zahlungsart zur Verfügung. Bitte wenden Sie sich an ${name}.`,
  tooManyAttempts: (name) =>
    `Es gab zu viele Versuche, diese Bestellung zu bezahlen. Bitte wenden Sie sich an ${name}.`,

  paidTitle: 'Zahlung eingegangen',
  paidText: (name) => `Vielen Dank! Ihre Zahlung an ${name} ist abgeschlossen.`,
  paidInExcess: (amount, name) =>
    `Sie haben ${amount} zu viel bezahlt. Bitte wenden Sie sich wegen der Differenz an ${name}.`,
  paidLate: (name) =>
    `Die Zahlung ist nach Ablauf der Zahlungsfrist eingegangen. Bitte klären Sie mit ${name}, ob Ihre Bestellung noch gilt.`,
  returnTo: (name) => `Zurück zu ${name}`,

  expiredTitle: 'Dieser Zahlungslink ist abgelaufen',
  expiredByTime: 'Die Zahlungsfrist ist vorbei.',
  expiredByMerchant: (name) => `${name} hat diese Zahlungsanforderung geschlossen.`,
  expiredAdvice: (name) =>
    `Hier kann nichts mehr bezahlt werden. Bitte fragen Sie ${name} nach einem neuen Link.`,
  expiredPartlyPaid: (amount, name) =>
    `Sie haben bereits ${amount} bezahlt. Bitte wenden Sie sich deswegen an ${name}.`,
  expiredInProgress: 'Eine Zahlung war noch in Bearbeitung. Falls sie eingeht, wird sie hier angezeigt.',

  declined:
    'Die Zahlung wurde abgelehnt; es wurde nichts abgebucht. Bitte versuchen Sie es erneut oder wählen Sie eine andere Zahlungsart.',
  alreadyInProgress: 'Eine Zahlung wird bereits bearbeitet. Bitte warten Sie das Ergebnis ab.',
  notPayable: 'Diese Zahlung konnte nicht begonnen werden. Die Seite zeigt den aktuellen Stand.',
  formUsed:
    'Dieses Formular wurde bereits abgeschickt. Bitte prüfen Sie den aktuellen Stand, bevor Sie erneut zahlen.',
  amountChanged: 'Der Betrag hat sich geändert. Bitte prüfen Sie ihn und zahlen Sie erneut.',
  itemsChanged: 'Die Positionen haben sich geändert. Bitte prüfen Sie sie und zahlen Sie erneut.',
  badInput:
    'Bitte wählen Sie eine Zahlungsart und den Ausgang des Tests und versuchen Sie es dann noch einmal.',
  stepOver: 'Dieser Schritt ist nicht mehr offen. Die Seite zeigt den aktuellen Stand.',

  payments: 'Zahlungen',
  viewReceipt: 'Beleg ansehen',
  receiptTitle: 'Zahlungsbeleg',
  receiptFrom: (name) => `Zahlungsbeleg von ${name}`,
  print: 'Drucken',
  backToPayment: 'Zurück zur Zahlung',
  date: 'Datum',
  amount: 'Betrag',
  payee: 'Empfänger',
  reference: 'Zahlungsreferenz',
  orderReference: 'Bestellreferenz',
  session: 'Zahlungsvorgang',

  notFoundTitle: 'Diesen Zahlungslink gibt es nicht',
  notFoundText:
    'Bitte prüfen Sie, ob die Adresse vollständig ist, oder bitten Sie den Shop um einen neuen Link.',
  noReceiptTitle: 'Es gibt noch keinen Beleg',
  noReceiptText: 'Der Beleg erscheint hier, sobald eine Zahlung eingegangen ist.',
  refusedTitle: 'Diese Anfrage wurde abgelehnt',
  refusedText:
    'Sie kam von einer anderen Website. Bitte öffnen Sie Ihren Zahlungslink erneut und bezahlen Sie dort.',
  tooManyTitle: 'Bitte warten Sie einen Moment',
  tooManyText: 'Es gab zu viele Anfragen. Bitte versuchen Sie es in einigen Sekunden erneut.',
  beingMadeTitle: 'Das Dokument wird erstellt',
  beingMadeText: 'Es öffnet sich hier gleich von selbst.',
  troubleTitle: 'Etwas ist schiefgegangen',
  troubleText:
    'Der Fehler liegt bei uns, nicht bei Ihnen. Bitte öffnen Sie den Zahlungslink gleich noch einmal, um den aktuellen Stand zu sehen.',
  language: 'Sprache',

  transfer: {
    payWith: (method) => `Mit ${method} bezahlen`,
    text: (amount) =>
      `Bitte überweisen Sie genau ${amount} und geben Sie die Referenz genau so an, wie sie hier steht.`,
    wait: 'Bis das Geld eintrifft, vergehen ein bis drei Werktage; dann steht es auf dieser Seite. Sie können sie inzwischen schließen.',
    fields: {
      payee: 'Empfänger',
      payee_address: 'Adresse des Empfängers',
      iban: 'IBAN',
      account_number: 'Kontonummer',
      bank_code: 'Bankleitzahl',
      bic: 'BIC',
      bank: 'Bank',
      amount: 'Betrag',
      reference: 'Referenz',
    },
    copy: 'Kopieren',
    copied: 'Kopiert',
    code: 'QR-Code mit den Angaben dieser Überweisung',
    openApp: (name) => `${name}-App öffnen`,
    invoice: 'Rechnung herunterladen (PDF)',
    back: 'Zurück zu den Überweisungsdaten',
  },
  goOnText: (method, amount) =>
    `Ihre Zahlung von ${amount} (${method}) geht auf der sicheren Seite unseres Zahlungsdienstleisters weiter.`,
  goOn: 'Weiter zur Kartenzahlung',
  goingOn: 'Sie werden zur Kartenzahlung weitergeleitet',
  notStarted:
    'Die Seite für die Kartenzahlung konnte nicht geöffnet werden; es wurde nichts abgebucht. Bitte versuchen Sie es gleich noch einmal.',
  notSetUp: 'Noch nicht eingerichtet',
  downloadReceipt: 'Beleg herunterladen (PDF)',
  takenBack: 'Von der Bank zurückgebucht',
  verify: {
    title: 'Dieser Beleg ist echt',
    text: (name) => `Er stammt von ${name}. Bitte prüfen Sie, ob er dasselbe sagt wie diese Seite.`,
  },
  unknownReceiptTitle: 'Dieser Beleg ist hier nicht bekannt',
  unknownReceiptText:
    'Bitte prüfen Sie, ob die Adresse vollständig ist. Wenn ja, wurde der Beleg nicht hier ausgestellt, und Sie sollten sich nicht auf ihn verlassen.',

  // documents
  document: {
    payee: 'Zahlungsempfänger',
    payer: 'Zahler',
    taxId: 'Steuernummer',
    item: 'Artikel',
    quantity: 'Menge',
    unitPrice: 'Einzelpreis',
    refunds: 'Erstattungen',
    status: 'Status',
    refundStatuses: { pending: 'In Bearbeitung', succeeded: 'Erstattet' },
    refunded: 'Erstattet',
    excess: 'Zu viel bezahlt',
    page: (page, pages) => `Seite ${page} von ${pages}`,
    verify: 'Zum Prüfen dieses Belegs scannen.',
    invoiceTitle: 'Rechnung',
    howToTransfer: 'Per Überweisung bezahlen',
    scanToPay: 'Zum Bezahlen mit der Banking-App scannen.',
    payWithPart: (amount) => `Bitte zahlen Sie ${amount} mit dem Zahlteil unten.`,
  },
} satisfies Messages;
