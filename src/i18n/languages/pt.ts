import type { Messages } from './messages.ts';

export const pt = {
  testMode: 'Modo de teste: nenhum dinheiro é movimentado.',
  payTo: (name) => `Pagamento a ${name}`,
  order: 'O seu pedido',
  allItems: (count) => `Todos os itens (${count})`,
  otherCharges: 'Impostos, envio e outros encargos',
  discount: 'Desconto',
  total: 'Total',
  paid: 'Já pago',
  remaining: 'Ainda por pagar',
  payableUntil: 'Pague até',

  howToPay: 'Como deseja pagar?',
  method: 'Forma de pagamento',
  card: 'Cartão',
  bankTransfer: (currency) => `Transferência bancária (${currency})`,
  wireTransfer: 'Transferência bancária internacional',
  outcome: 'O que deve acontecer neste teste?',
  outcomes: {
    succeeds: 'O pagamento é concluído',
    fails: 'O pagamento é recusado',
    further_step: 'É necessária mais uma etapa',
    takes_a_while: 'O pagamento demora um pouco',
    pays_part: 'Apenas uma parte é paga',
    pays_too_much: 'É pago um valor a mais',
  },
  pay: (amount) => `Pagar ${amount}`,
  partlyPaid: (paid, remaining) => `Recebemos ${paid}. Pode pagar agora os ${remaining} restantes.`,
  backToShop: 'Voltar à loja',

  draftTitle: 'Ainda não há nada a pagar',
  draftText: (name) =>
    `${name} ainda está a preparar este pedido, que aparecerá aqui assim que estiver pronto.`,
  stepTitle: 'Mais uma etapa',
  stepText: (method, amount) =>
    `O seu pagamento de ${amount} (${method}) aguarda a sua confirmação. No modo de teste, a decisão é sua.`,
  stepConfirm: 'Confirmar o pagamento',
  stepDecline: 'Recusar o pagamento',
  stepOther: 'Escolher outra forma de pagamento',
  progressTitle: 'O seu pagamento está em andamento',
  progressText:
    'Isto pode levar alguns instantes. Por favor, não pague de novo: o resultado aparecerá nesta página.',
  checkAgain: 'Verificar novamente',
  unavailableTitle: 'Não é possível pagar aqui',
  unavailableText: (name) =>
    `Nenhuma forma de pagamento está disponível para este pedido. Entre em contato com ${name}, por favor.`,
  tooManyAttempts: (name) =>
    `Houve demasiadas tentativas de pagar este pedido. Entre em contato com ${name}, por favor.`,

  paidTitle: 'Pagamento recebido',
  paidText: (name) => `Agradecemos! O seu pagamento a ${name} está concluído.`,
  paidInExcess: (amount, name) =>
    `Foram pagos ${amount} a mais. Entre em contato com ${name} sobre a diferença, por favor.`,
  paidLate: (name) =>
    `O pagamento chegou depois do fim do prazo. Pergunte a ${name} se o seu pedido continua válido.`,
  returnTo: (name) => `Voltar a ${name}`,

  expiredTitle: 'Este link de pagamento expirou',
  expiredByTime: 'O prazo para pagar terminou.',
  expiredByMerchant: (name) => `${name} encerrou este pedido de pagamento.`,
  expiredAdvice: (name) => `Já não é possível pagar aqui. Peça um novo link a ${name}.`,
  expiredPartlyPaid: (amount, name) =>
    `Já foram pagos ${amount}. Entre em contato com ${name} sobre esse valor, por favor.`,
  expiredInProgress: 'Ainda havia um pagamento em andamento. Se chegar, será mostrado aqui.',

  declined:
    'O pagamento foi recusado e nada foi cobrado. Tente novamente ou escolha outra forma de pagamento.',
  alreadyInProgress: 'Já existe um pagamento em andamento. Aguarde o resultado, por favor.',
  notPayable: 'Não foi possível iniciar este pagamento. A página mostra a situação atual.',
  formUsed: 'Este formulário já foi enviado. Verifique a situação antes de pagar novamente.',
  amountChanged: 'O valor mudou. Verifique-o e pague novamente.',
  itemsChanged: 'Os itens mudaram. Verifique-os e pague novamente.',
  badInput: 'Escolha uma forma de pagamento e o resultado do teste e tente novamente.',
  stepOver: 'Esta etapa já não está aberta. A página mostra a situação atual.',

  payments: 'Pagamentos',
  viewReceipt: 'Ver o recibo',
  receiptTitle: 'Recibo',
  receiptFrom: (name) => `Recibo de ${name}`,
  print: 'Imprimir',
  backToPayment: 'Voltar ao pagamento',
  date: 'Data',
  amount: 'Valor',
  payee: 'Beneficiário',
  reference: 'Referência do pagamento',
  orderReference: 'Referência do pedido',
  session: 'Sessão de pagamento',

  notFoundTitle: 'Este link de pagamento não existe',
  notFoundText: 'Verifique se o endereço está completo ou peça um novo link à loja.',
  noReceiptTitle: 'Ainda não há recibo',
  noReceiptText: 'O recibo aparecerá aqui assim que um pagamento chegar.',
  refusedTitle: 'Esta solicitação foi recusada',
  refusedText: 'Ela veio de outro site. Abra novamente o seu link de pagamento e pague por lá.',
  tooManyTitle: 'Aguarde um momento, por favor',
  tooManyText: 'Houve demasiadas solicitações. Tente novamente dentro de alguns segundos.',
  troubleTitle: 'Algo correu mal',
  troubleText:
    'A falha é nossa, não sua. Abra novamente o link de pagamento daqui a pouco para ver a situação.',
  language: 'Idioma',

  transfer: {
    payWith: (method) => `Pagar com ${method}`,
    text: (amount) => `Transfira exatamente ${amount} e indique a referência tal como está aqui.`,
    wait: 'O dinheiro demora um a três dias úteis a chegar; esta página mostrá-lo-á. Entretanto, pode fechá-la.',
    fields: {
      payee: 'Beneficiário',
      payee_address: 'Morada do beneficiário',
      iban: 'IBAN',
      account_number: 'Número da conta',
      bank_code: 'Código do banco',
      bic: 'BIC',
      bank: 'Banco',
      amount: 'Montante',
      reference: 'Referência',
    },
    copy: 'Copiar',
    copied: 'Copiado',
    code: 'Código QR com os dados desta transferência',
    openApp: (name) => `Abrir a sua aplicação ${name}`,
    invoice: 'Descarregar a fatura (PDF)',
    back: 'Voltar aos dados da transferência',
  },
  goOnText: (method, amount) =>
    `O seu pagamento de ${amount} (${method}) continua na página segura do nosso prestador de pagamentos.`,
  goOn: 'Continuar para o pagamento com cartão',
  goingOn: 'A encaminhar para o pagamento com cartão',
  notStarted:
    'Não foi possível abrir a página de pagamento com cartão e nada lhe foi cobrado. Tente novamente daqui a pouco.',
  notSetUp: 'Ainda por configurar',
  downloadReceipt: 'Descarregar o recibo (PDF)',
  takenBack: 'Retirado pelo banco',
  verify: {
    title: 'Este recibo é autêntico',
    text: (name) => `É um recibo de ${name}. Verifique se diz o mesmo que esta página.`,
  },
  unknownReceiptTitle: 'Este recibo não é conhecido aqui',
  unknownReceiptText:
    'Verifique se o endereço está completo. Se estiver, o recibo não foi emitido aqui e não deve confiar nele.',

  // documents
  document: {
    payee: 'Beneficiário',
    payer: 'Pagador',
    taxId: 'Número de identificação fiscal',
    item: 'Artigo',
    quantity: 'Quantidade',
    unitPrice: 'Preço unitário',
    refunds: 'Reembolsos',
    status: 'Estado',
    refundStatuses: { pending: 'Em curso', succeeded: 'Reembolsado', failed: 'Falhou' },
    refunded: 'Reembolsado',
    excess: 'Pago em excesso',
    page: (page, pages) => `Página ${page} de ${pages}`,
    verify: 'Digitalize para verificar este recibo.',
    invoiceTitle: 'Fatura',
    howToTransfer: 'Pagar por transferência bancária',
    scanToPay: 'Digitalize com a aplicação do seu banco para pagar.',
    payWithPart: (amount) => `Pague ${amount} com a secção de pagamento abaixo.`,
  },
} satisfies Messages;
