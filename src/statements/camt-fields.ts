/**
 * Elements of a camt message that are read, by their paths. The versions of the messages differ in few of them, so one
 * table serves all: if a later version has another path, both lead to the same field. Pure.
 */

/** Parts of a message that are collected and then read as a whole. */
export type Section = 'statement' | 'balance' | 'entry' | 'detail';

const ofStatement = {
  Id: 'id',
  // Pages of one statement share its id.
  'StmtPgntn/PgNb': 'page',
  'NtfctnPgntn/PgNb': 'page',
  'FrToDt/FrDtTm': 'from',
  'FrToDt/ToDtTm': 'to',
  'Acct/Id/IBAN': 'account',
  'Acct/Id/Othr/Id': 'account',
  'Acct/Ccy': 'accountCurrency',
} as const;

const ofBalance = {
  'Tp/CdOrPrtry/Cd': 'type',
  Amt: 'amount',
  CdtDbtInd: 'indicator',
  'Dt/Dt': 'date',
  'Dt/DtTm': 'date',
} as const;

const ofEntry = {
  Amt: 'amount',
  CdtDbtInd: 'indicator',
  RvslInd: 'reversal',
  // Text up to version 07, then a code or something of the bank's own.
  Sts: 'status',
  'Sts/Cd': 'status',
  'Sts/Prtry': 'status',
  'BookgDt/Dt': 'bookedOn',
  'BookgDt/DtTm': 'bookedOn',
  'ValDt/Dt': 'valueOn',
  'ValDt/DtTm': 'valueOn',
  AcctSvcrRef: 'bankReference',
  'BkTxCd/Domn/Cd': 'domain',
  'BkTxCd/Domn/Fmly/Cd': 'family',
  'BkTxCd/Domn/Fmly/SubFmlyCd': 'subfamily',
  'BkTxCd/Prtry/Cd': 'proprietaryCode',
  AddtlNtryInf: 'additional',
} as const;

const ofDetail = {
  'Refs/AcctSvcrRef': 'bankReference',
  'Refs/InstrId': 'instructionId',
  'Refs/EndToEndId': 'endToEndId',
  'Refs/TxId': 'transactionId',
  // From version 03 on; before, the amount is among the details of amounts.
  Amt: 'amount',
  CdtDbtInd: 'indicator',
  'AmtDtls/TxAmt/Amt': 'transactionAmount',
  'AmtDtls/InstdAmt/Amt': 'instructedAmount',
  'BkTxCd/Domn/Cd': 'domain',
  'BkTxCd/Domn/Fmly/Cd': 'family',
  'BkTxCd/Domn/Fmly/SubFmlyCd': 'subfamily',
  'BkTxCd/Prtry/Cd': 'proprietaryCode',
  'RltdPties/DbtrAcct/Id/IBAN': 'debtorAccount',
  'RltdPties/DbtrAcct/Id/Othr/Id': 'debtorAccount',
  'RltdPties/CdtrAcct/Id/IBAN': 'creditorAccount',
  'RltdPties/CdtrAcct/Id/Othr/Id': 'creditorAccount',
  ...party('Dbtr', 'debtor'),
  ...party('Cdtr', 'creditor'),
  ...party('UltmtDbtr', 'ultimateDebtor'),
  ...party('UltmtCdtr', 'ultimateCreditor'),
  'RltdAgts/DbtrAgt/FinInstnId/BIC': 'debtorBic',
  'RltdAgts/DbtrAgt/FinInstnId/BICFI': 'debtorBic',
  'RltdAgts/CdtrAgt/FinInstnId/BIC': 'creditorBic',
  'RltdAgts/CdtrAgt/FinInstnId/BICFI': 'creditorBic',
  'RmtInf/Ustrd': 'remittance',
  'RmtInf/Strd/CdtrRefInf/Ref': 'reference',
  'RmtInf/Strd/AddtlRmtInf': 'additionalRemittance',
  'RtrInf/Rsn/Cd': 'returnCode',
  'RtrInf/Rsn/Prtry': 'returnCode',
  'RtrInf/AddtlInf': 'returnText',
  AddtlTxInf: 'additional',
} as const;

type PartyField = 'debtor' | 'creditor' | 'ultimateDebtor' | 'ultimateCreditor';

/** A party: from version 08 on an element of its own holds a person or firm, or a bank. */
function party(element: string, field: PartyField): Readonly<Record<string, PartyField>> {
  const path = `RltdPties/${element}`;
  return { [`${path}/Nm`]: field, [`${path}/Pty/Nm`]: field, [`${path}/Agt/FinInstnId/Nm`]: field };
}

export type Field =
  | (typeof ofStatement)[keyof typeof ofStatement]
  | (typeof ofBalance)[keyof typeof ofBalance]
  | (typeof ofEntry)[keyof typeof ofEntry]
  | (typeof ofDetail)[keyof typeof ofDetail]
  | PartyField;

/** Fields that may occur several times in an element; a second one of any other is a fault of the file. */
export const repeated: ReadonlySet<Field> = new Set([
  'remittance',
  'reference',
  'additionalRemittance',
  'returnText',
]);

/** An element on the path to a field. */
export type Element = {
  readonly children: Map<string, Element>;
  field?: Field;
  section?: Section;
};

function element(): Element {
  return { children: new Map() };
}

/** Element at this path below `from`, created if necessary. */
function at(from: Element, path: string): Element {
  let here = from;
  for (const name of path.split('/')) {
    const next = here.children.get(name) ?? element();
    here.children.set(name, next);
    here = next;
  }
  return here;
}

function addFields(to: Element, fields: Readonly<Record<string, Field>>): void {
  for (const [path, field] of Object.entries(fields)) at(to, path).field = field;
}

/** Elements below the root `Document`. */
function messages(): Element {
  const root = element();
  for (const path of ['BkToCstmrStmt/Stmt', 'BkToCstmrDbtCdtNtfctn/Ntfctn']) {
    const statement = at(root, path);
    const balance = at(statement, 'Bal');
    const entry = at(statement, 'Ntry');
    const detail = at(entry, 'NtryDtls/TxDtls');
    Object.assign(statement, { section: 'statement' } satisfies Partial<Element>);
    Object.assign(balance, { section: 'balance' } satisfies Partial<Element>);
    Object.assign(entry, { section: 'entry' } satisfies Partial<Element>);
    Object.assign(detail, { section: 'detail' } satisfies Partial<Element>);
    addFields(statement, ofStatement);
    addFields(balance, ofBalance);
    addFields(entry, ofEntry);
    addFields(detail, ofDetail);
  }
  return root;
}

export const documentElement: Element = messages();

/** Messages by their namespace and by the element below the root; both must name the same message. */
export const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.(053|054)\.001\.(0[2-9]|1[0-3])$/;
export const messageElements: ReadonlyMap<string, string> = new Map([
  ['053', 'BkToCstmrStmt'],
  ['054', 'BkToCstmrDbtCdtNtfctn'],
]);
