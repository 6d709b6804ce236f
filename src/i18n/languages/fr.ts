import type { Messages } from './messages.ts';

export const fr = {
  testMode: 'Mode test : aucun argent n’est transféré.',
  payTo: (name) => `Paiement à ${name}`,
  order: 'Votre commande',
  allItems: (count) => `Tous les articles (${count})`,
  otherCharges: 'Taxes, livraison et autres frais',
  discount: 'Remise',
  total: 'Total',
  paid: 'Déjà payé',
  remaining: 'Reste à payer',
  payableUntil: 'À payer avant le',

  howToPay: 'Comment souhaitez-vous payer ?',
  method: 'Moyen de paiement',
  card: 'Carte',
  bankTransfer: (currency) => `Virement bancaire (${currency})`,
  wireTransfer: 'Virement bancaire international',
  outcome: 'Que doit-il se passer dans ce test ?',
  outcomes: {
    succeeds: 'Le paiement réussit',
    fails: 'Le paiement est refusé',
    further_step: 'Une étape supplémentaire est nécessaire',
    takes_a_while: 'Le paiement prend un certain temps',
    pays_part: 'Une partie seulement est payée',
    pays_too_much: 'Le montant payé est trop élevé',
  },
  pay: (amount) => `Payer ${amount}`,
  partlyPaid: (paid, remaining) =>
    `Nous avons reçu ${paid}. Vous pouvez payer maintenant le solde de ${remaining}.`,
  backToShop: 'Retour à la boutique',

  draftTitle: 'Rien à payer pour le moment',
  draftText: (name) => `${name} prépare encore cette commande. Vous la trouverez ici dès qu’elle sera prête.`,
  stepTitle: 'Encore une étape',
  stepText: (method, amount) =>
    `Votre paiement de ${amount} (${method}) attend votre confirmation. En mode test, c’est vous qui décidez de son issue.`,
  stepConfirm: 'Confirmer le paiement',
  stepDecline: 'Refuser le paiement',
  stepOther: 'Choisir un autre moyen de paiement',
  progressTitle: 'Votre paiement est en cours',
  progressText:
    'Cela peut prendre quelques instants. Veuillez ne pas payer une seconde fois : le résultat s’affichera sur cette page.',
  checkAgain: 'Vérifier à nouveau',
  unavailableTitle: 'Le paiement n’est pas possible ici',
  unavailableText: (name) =>
    `Aucun moyen de paiement n’est disponible pour cette commande pour le moment. Veuillez contacter ${name}.`,
  tooManyAttempts: (name) =>
    `Il y a eu trop de tentatives de paiement pour cette commande. Veuillez contacter ${name}.`,

  paidTitle: 'Paiement reçu',
  paidText: (name) => `Merci ! Votre paiement à ${name} est terminé.`,
  paidInExcess: (amount, name) =>
    `Vous avez payé ${amount} de trop. Veuillez contacter ${name} au sujet de la différence.`,
  paidLate: (name) =>
    `Le paiement est arrivé après la fin du délai. Veuillez demander à ${name} si votre commande est toujours valable.`,
  returnTo: (name) => `Revenir chez ${name}`,

  expiredTitle: 'Ce lien de paiement a expiré',
  expiredByTime: 'Le délai de paiement est écoulé.',
  expiredByMerchant: (name) => `${name} a clôturé cette demande de paiement.`,
  expiredAdvice: (name) =>
    `Il n’est plus possible de payer ici. Veuillez demander un nouveau lien à ${name}.`,
  expiredPartlyPaid: (amount, name) =>
    `Vous avez déjà payé ${amount}. Veuillez contacter ${name} à ce sujet.`,
  expiredInProgress: 'Un paiement était encore en cours. S’il arrive, il sera affiché ici.',

  declined:
    'Le paiement a été refusé et vous n’avez pas été débité. Veuillez réessayer ou choisir un autre moyen de paiement.',
  alreadyInProgress: 'Un paiement est déjà en cours. Veuillez attendre son résultat.',
  notPayable: 'Ce paiement n’a pas pu être lancé. La page indique la situation actuelle.',
  formUsed: 'Ce formulaire a déjà été envoyé. Veuillez vérifier la situation avant de payer à nouveau.',
  amountChanged: 'Le montant a changé. Veuillez le vérifier et payer à nouveau.',
  itemsChanged: 'Les articles ont changé. Veuillez les vérifier et payer à nouveau.',
  badInput: 'Veuillez choisir un moyen de paiement et le résultat du test, puis réessayer.',
  stepOver: 'Cette étape n’est plus ouverte. La page indique la situation actuelle.',

  payments: 'Paiements',
  viewReceipt: 'Voir le reçu',
  receiptTitle: 'Reçu',
  receiptFrom: (name) => `Reçu de ${name}`,
  print: 'Imprimer',
  backToPayment: 'Retour au paiement',
  date: 'Date',
  amount: 'Montant',
  payee: 'Bénéficiaire',
  reference: 'Référence du paiement',
  orderReference: 'Référence de la commande',
  session: 'Session de paiement',

  notFoundTitle: 'Ce lien de paiement n’existe pas',
  notFoundText: 'Veuillez vérifier que l’adresse est complète ou demander un nouveau lien à la boutique.',
  noReceiptTitle: 'Il n’y a pas encore de reçu',
  noReceiptText: 'Le reçu apparaîtra ici dès l’arrivée d’un paiement.',
  refusedTitle: 'Cette demande a été refusée',
  refusedText:
    'Elle provenait d’un autre site. Veuillez rouvrir votre lien de paiement et payer depuis cette page.',
  tooManyTitle: 'Veuillez patienter un instant',
  tooManyText: 'Il y a eu trop de demandes. Veuillez réessayer dans quelques secondes.',
  beingMadeTitle: 'Le document est en cours de création',
  beingMadeText: 'Il s’ouvrira ici tout seul dans un instant.',
  troubleTitle: 'Une erreur est survenue',
  troubleText:
    'L’erreur vient de nous, pas de vous. Veuillez rouvrir le lien de paiement dans un instant pour connaître la situation.',
  language: 'Langue',

  transfer: {
    payWith: (method) => `Payer avec ${method}`,
    text: (amount) =>
      `Veuillez virer exactement ${amount} en indiquant la référence telle qu’elle figure ici.`,
    wait: 'L’argent met un à trois jours ouvrés à arriver ; cette page l’indiquera alors. Vous pouvez la fermer en attendant.',
    fields: {
      payee: 'Bénéficiaire',
      payee_address: 'Adresse du bénéficiaire',
      iban: 'IBAN',
      account_number: 'Numéro de compte',
      bank_code: 'Code banque',
      bic: 'BIC',
      bank: 'Banque',
      amount: 'Montant',
      reference: 'Référence',
    },
    copy: 'Copier',
    copied: 'Copié',
    code: 'Code QR avec les données de ce virement',
    openApp: (name) => `Ouvrir votre application ${name}`,
    invoice: 'Télécharger la facture (PDF)',
    back: 'Retour aux données du virement',
  },
  goOnText: (method, amount) =>
    `Votre paiement de ${amount} (${method}) se poursuit sur la page sécurisée de notre prestataire de paiement.`,
  goOn: 'Continuer vers le paiement par carte',
  goingOn: 'Vous allez être dirigé vers le paiement par carte',
  notStarted:
    'La page de paiement par carte n’a pas pu être ouverte et rien n’a été débité. Veuillez réessayer dans un instant.',
  notSetUp: 'Pas encore configuré',
  downloadReceipt: 'Télécharger le reçu (PDF)',
  takenBack: 'Repris par la banque',
  verify: {
    title: 'Ce reçu est authentique',
    text: (name) => `C’est un reçu de ${name}. Veuillez vérifier qu’il indique la même chose que cette page.`,
  },
  unknownReceiptTitle: 'Ce reçu n’est pas connu ici',
  unknownReceiptText:
    'Veuillez vérifier que l’adresse est complète. Si c’est le cas, le reçu n’a pas été émis ici et vous ne devriez pas vous y fier.',

  // documents
  document: {
    payee: 'Bénéficiaire',
    payer: 'Payeur',
    taxId: 'N° d’identification fiscale',
    item: 'Article',
    quantity: 'Quantité',
    unitPrice: 'Prix unitaire',
    refunds: 'Remboursements',
    status: 'Statut',
    refundStatuses: { pending: 'En cours', succeeded: 'Remboursé' },
    refunded: 'Remboursé',
    excess: 'Payé en trop',
    page: (page, pages) => `Page ${page} sur ${pages}`,
    verify: 'Scannez pour vérifier ce reçu.',
    invoiceTitle: 'Facture',
    howToTransfer: 'Payer par virement bancaire',
    scanToPay: 'Scannez avec votre application bancaire pour payer.',
    payWithPart: (amount) => `Veuillez payer ${amount} au moyen de la section paiement ci-dessous.`,
  },
} satisfies Messages;
