import type { Messages } from './messages.ts';

export const es = {
  testMode: 'Modo de prueba: no se mueve dinero.',
  payTo: (name) => `Pago a ${name}`,
  order: 'Su pedido',
  allItems: (count) => `Todos los artículos (${count})`,
  otherCharges: 'Impuestos, envío y otros cargos',
  discount: 'Descuento',
  total: 'Total',
  paid: 'Ya pagado',
  remaining: 'Pendiente de pago',
  payableUntil: 'Pague antes del',

  howToPay: '¿Cómo desea pagar?',
  method: 'Método de pago',
  card: 'Tarjeta',
  bankTransfer: (currency) => `Transferencia bancaria (${currency})`,
  wireTransfer: 'Transferencia bancaria internacional',
  outcome: '¿Qué debe ocurrir en esta prueba?',
  outcomes: {
    succeeds: 'El pago se realiza',
    fails: 'El pago se rechaza',
    further_step: 'Se necesita un paso más',
    takes_a_while: 'El pago tarda un rato',
    pays_part: 'Solo se paga una parte',
    pays_too_much: 'Se paga de más',
  },
  pay: (amount) => `Pagar ${amount}`,
  partlyPaid: (paid, remaining) => `Hemos recibido ${paid}. Ahora puede pagar los ${remaining} restantes.`,
  backToShop: 'Volver a la tienda',

  draftTitle: 'Todavía no hay nada que pagar',
  draftText: (name) => `${name} aún está preparando este pedido. Lo encontrará aquí en cuanto esté listo.`,
  stepTitle: 'Un paso más',
  stepText: (method, amount) =>
    `Su pago de ${amount} (${method}) espera su confirmación. En el modo de prueba, usted decide cómo termina.`,
  stepConfirm: 'Confirmar el pago',
  stepDecline: 'Rechazar el pago',
  stepOther: 'Elegir otro método de pago',
  progressTitle: 'Su pago está en curso',
  progressText:
    'Puede tardar unos instantes. No pague de nuevo, por favor: el resultado aparecerá en esta página.',
  checkAgain: 'Comprobar de nuevo',
  unavailableTitle: 'Aquí no se puede pagar',
  unavailableText: (name) =>
    `No hay ningún método de pago disponible para este pedido. Póngase en contacto con ${name}.`,
  tooManyAttempts: (name) =>
    `Ha habido demasiados intentos de pagar este pedido. Póngase en contacto con ${name}.`,

  paidTitle: 'Pago recibido',
  paidText: (name) => `¡Gracias! Su pago a ${name} se ha completado.`,
  paidInExcess: (amount, name) =>
    `Ha pagado ${amount} de más. Póngase en contacto con ${name} para aclarar la diferencia.`,
  paidLate: (name) =>
    `El pago llegó cuando el plazo ya había terminado. Pregunte a ${name} si su pedido sigue en pie.`,
  returnTo: (name) => `Volver a ${name}`,

  expiredTitle: 'Este enlace de pago ha caducado',
  expiredByTime: 'El plazo para pagar ha terminado.',
  expiredByMerchant: (name) => `${name} ha cerrado esta solicitud de pago.`,
  expiredAdvice: (name) => `Aquí ya no se puede pagar nada. Pida a ${name} un enlace nuevo.`,
  expiredPartlyPaid: (amount, name) => `Ya ha pagado ${amount}. Póngase en contacto con ${name} al respecto.`,
  expiredInProgress: 'Había un pago todavía en curso. Si llega, se mostrará aquí.',

  declined: 'El pago fue rechazado y no se le ha cobrado nada. Inténtelo de nuevo o elija otro método.',
  alreadyInProgress: 'Ya hay un pago en curso. Espere su resultado, por favor.',
  notPayable: 'No se pudo iniciar este pago. La página muestra la situación actual.',
  formUsed: 'Este formulario ya se envió. Compruebe la situación antes de pagar otra vez.',
  amountChanged: 'El importe ha cambiado. Compruébelo y pague de nuevo, por favor.',
  badInput: 'Elija un método de pago y el resultado de la prueba, e inténtelo de nuevo.',
  stepOver: 'Este paso ya no está abierto. La página muestra la situación actual.',

  payments: 'Pagos',
  viewReceipt: 'Ver el recibo',
  receiptTitle: 'Recibo',
  receiptFrom: (name) => `Recibo de ${name}`,
  print: 'Imprimir',
  backToPayment: 'Volver al pago',
  date: 'Fecha',
  amount: 'Importe',
  payee: 'Beneficiario',
  reference: 'Referencia del pago',
  orderReference: 'Referencia del pedido',
  session: 'Sesión de pago',

  notFoundTitle: 'Este enlace de pago no existe',
  notFoundText: 'Compruebe que la dirección esté completa o pida a la tienda un enlace nuevo.',
  noReceiptTitle: 'Todavía no hay recibo',
  noReceiptText: 'El recibo aparecerá aquí cuando llegue un pago.',
  refusedTitle: 'Esta solicitud fue rechazada',
  refusedText: 'Procedía de otro sitio web. Abra de nuevo su enlace de pago y pague allí.',
  tooManyTitle: 'Espere un momento, por favor',
  tooManyText: 'Ha habido demasiadas solicitudes. Inténtelo de nuevo dentro de unos segundos.',
  troubleTitle: 'Algo ha salido mal',
  troubleText:
    'El fallo es nuestro, no suyo. Vuelva a abrir el enlace de pago dentro de un momento para ver la situación.',
  language: 'Idioma',
} satisfies Messages;
