import type { Messages } from './messages.ts';

export const nl = {
  testMode: 'Testmodus: er gaat geen geld om.',
  payTo: (name) => `Betaling aan ${name}`,
  order: 'Uw bestelling',
  allItems: (count) => `Alle artikelen (${count})`,
  otherCharges: 'Belasting, verzending en overige kosten',
  discount: 'Korting',
  total: 'Totaal',
  paid: 'Al betaald',
  remaining: 'Nog te betalen',
  payableUntil: 'Te betalen vóór',

  howToPay: 'Hoe wilt u betalen?',
  method: 'Betaalmethode',
  card: 'Kaart',
  bankTransfer: (currency) => `Bankoverschrijving (${currency})`,
  wireTransfer: 'Internationale bankoverschrijving',
  outcome: 'Wat moet er in deze test gebeuren?',
  outcomes: {
    succeeds: 'De betaling slaagt',
    fails: 'De betaling wordt geweigerd',
    further_step: 'Er is nog een stap nodig',
    takes_a_while: 'De betaling duurt even',
    pays_part: 'Er wordt maar een deel betaald',
    pays_too_much: 'Er wordt te veel betaald',
  },
  pay: (amount) => `${amount} betalen`,
  partlyPaid: (paid, remaining) =>
    `Wij hebben ${paid} ontvangen. U kunt de resterende ${remaining} nu betalen.`,
  backToShop: 'Terug naar de winkel',

  draftTitle: 'Er is nog niets te betalen',
  draftText: (name) => `${name} bereidt deze bestelling nog voor. Zodra die klaar is, vindt u haar hier.`,
  stepTitle: 'Nog één stap',
  stepText: (method, amount) =>
    `Uw betaling van ${amount} (${method}) wacht op uw bevestiging. In de testmodus bepaalt u hoe die afloopt.`,
  stepConfirm: 'Betaling bevestigen',
  stepDecline: 'Betaling weigeren',
  stepOther: 'Andere betaalmethode kiezen',
  progressTitle: 'Uw betaling wordt verwerkt',
  progressText:
    'Dit kan even duren. Betaal alstublieft niet nog een keer: het resultaat verschijnt op deze pagina.',
  checkAgain: 'Opnieuw controleren',
  unavailableTitle: 'Hier kan niet worden betaald',
  unavailableText: (name) =>
    `Voor deze bestelling is op dit moment geen betaalmethode beschikbaar. Neem contact op met ${name}.`,
  tooManyAttempts: (name) =>
    `Er is te vaak geprobeerd deze bestelling te betalen. Neem contact op met ${name}.`,

  paidTitle: 'Betaling ontvangen',
  paidText: (name) => `Hartelijk dank! Uw betaling aan ${name} is voltooid.`,
  paidInExcess: (amount, name) =>
    `U hebt ${amount} te veel betaald. Neem contact op met ${name} over het verschil.`,
  paidLate: (name) =>
    `De betaling kwam binnen nadat de betaaltermijn voorbij was. Vraag ${name} of uw bestelling nog geldt.`,
  returnTo: (name) => `Terug naar ${name}`,

  expiredTitle: 'Deze betaallink is verlopen',
  expiredByTime: 'De betaaltermijn is voorbij.',
  expiredByMerchant: (name) => `${name} heeft dit betaalverzoek gesloten.`,
  expiredAdvice: (name) => `Hier kan niets meer worden betaald. Vraag ${name} om een nieuwe link.`,
  expiredPartlyPaid: (amount, name) => `U hebt al ${amount} betaald. Neem hierover contact op met ${name}.`,
  expiredInProgress: 'Er was nog een betaling in behandeling. Als die binnenkomt, ziet u dat hier.',

  declined:
    'De betaling is geweigerd en er is niets afgeschreven. Probeer het opnieuw of kies een andere methode.',
  alreadyInProgress: 'Er wordt al een betaling verwerkt. Wacht op het resultaat.',
  notPayable: 'Deze betaling kon niet worden gestart. De pagina toont de huidige stand.',
  formUsed: 'Dit formulier is al verzonden. Controleer de huidige stand voordat u opnieuw betaalt.',
  amountChanged: 'Het bedrag is gewijzigd. Controleer het en betaal opnieuw.',
  itemsChanged: 'De artikelen zijn gewijzigd. Controleer ze en betaal opnieuw.',
  badInput: 'Kies een betaalmethode en de uitkomst van de test en probeer het opnieuw.',
  stepOver: 'Deze stap is niet meer open. De pagina toont de huidige stand.',

  payments: 'Betalingen',
  viewReceipt: 'Betaalbewijs bekijken',
  receiptTitle: 'Betaalbewijs',
  receiptFrom: (name) => `Betaalbewijs van ${name}`,
  print: 'Afdrukken',
  backToPayment: 'Terug naar de betaling',
  date: 'Datum',
  amount: 'Bedrag',
  payee: 'Begunstigde',
  reference: 'Betalingskenmerk',
  orderReference: 'Bestelkenmerk',
  session: 'Betaalsessie',

  notFoundTitle: 'Deze betaallink bestaat niet',
  notFoundText: 'Controleer of het adres volledig is of vraag de winkel om een nieuwe link.',
  noReceiptTitle: 'Er is nog geen betaalbewijs',
  noReceiptText: 'Het betaalbewijs verschijnt hier zodra een betaling is binnengekomen.',
  refusedTitle: 'Dit verzoek is geweigerd',
  refusedText: 'Het kwam van een andere website. Open uw betaallink opnieuw en betaal daar.',
  tooManyTitle: 'Een ogenblik geduld',
  tooManyText: 'Er zijn te veel verzoeken geweest. Probeer het over enkele seconden opnieuw.',
  beingMadeTitle: 'Het document wordt gemaakt',
  beingMadeText: 'Het opent hier zo vanzelf.',
  troubleTitle: 'Er is iets misgegaan',
  troubleText:
    'De fout ligt bij ons, niet bij u. Open de betaallink zo dadelijk opnieuw om de stand te zien.',
  language: 'Taal',

  transfer: {
    payWith: (method) => `Betalen met ${method}`,
    text: (amount) =>
      `Maak precies ${amount} over en vermeld het betalingskenmerk precies zoals het hier staat.`,
    wait: 'Het duurt één tot drie werkdagen voordat het geld binnen is; deze pagina laat het dan zien. U kunt haar intussen sluiten.',
    fields: {
      payee: 'Begunstigde',
      payee_address: 'Adres van de begunstigde',
      iban: 'IBAN',
      account_number: 'Rekeningnummer',
      bank_code: 'Bankcode',
      bic: 'BIC',
      bank: 'Bank',
      amount: 'Bedrag',
      reference: 'Betalingskenmerk',
    },
    copy: 'Kopiëren',
    copied: 'Gekopieerd',
    code: 'QR-code met de gegevens van deze overschrijving',
    openApp: (name) => `Uw ${name}-app openen`,
    invoice: 'Factuur downloaden (PDF)',
    back: 'Terug naar de overschrijvingsgegevens',
  },
  goOnText: (method, amount) =>
    `Uw betaling van ${amount} (${method}) gaat verder op de beveiligde pagina van onze betaaldienst.`,
  goOn: 'Verder naar de kaartbetaling',
  goingOn: 'U wordt naar de kaartbetaling gebracht',
  notStarted:
    'De pagina voor de kaartbetaling kon niet worden geopend en er is niets afgeschreven. Probeer het zo dadelijk opnieuw.',
  notSetUp: 'Nog niet ingesteld',
  downloadReceipt: 'Betaalbewijs downloaden (PDF)',
  takenBack: 'Teruggenomen door de bank',
  verify: {
    title: 'Dit betaalbewijs is echt',
    text: (name) =>
      `Het is een betaalbewijs van ${name}. Controleer of er hetzelfde op staat als op deze pagina.`,
  },
  unknownReceiptTitle: 'Dit betaalbewijs is hier niet bekend',
  unknownReceiptText:
    'Controleer of het adres volledig is. Zo ja, dan is het betaalbewijs niet hier gemaakt en kunt u er beter niet op vertrouwen.',

  // documents
  document: {
    payee: 'Begunstigde',
    payer: 'Betaler',
    taxId: 'Btw-nummer',
    item: 'Artikel',
    quantity: 'Aantal',
    unitPrice: 'Stukprijs',
    refunds: 'Terugbetalingen',
    status: 'Status',
    refundStatuses: { pending: 'In behandeling', succeeded: 'Terugbetaald' },
    refunded: 'Terugbetaald',
    excess: 'Te veel betaald',
    page: (page, pages) => `Pagina ${page} van ${pages}`,
    verify: 'Scan om dit betaalbewijs te controleren.',
    invoiceTitle: 'Factuur',
    howToTransfer: 'Betalen per bankoverschrijving',
    scanToPay: 'Scan met uw bankapp om te betalen.',
    payWithPart: (amount) => `Betaal ${amount} met het betaalgedeelte hieronder.`,
  },
} satisfies Messages;
