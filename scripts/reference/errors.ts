import { errorTable } from '../../src/http/error-table.ts';
import { allReasons } from './api/errors.ts';
import { generatedFrom, table } from './markdown.ts';

export function errorsReference(): string {
  const rows = allReasons.map((reason) => {
    const { status, code, text, advice } = errorTable[reason];
    return [status, code, `<a id="${reason}"></a>\`${reason}\``, text, advice];
  });
  return `${generatedFrom('src/http/error-table.ts')}
# Errors

A failed request changes nothing. The answer lists all its mistakes:

\`\`\`json
{
  "status": "error",
  "message": "CHECKOUT.CREATE.FIELD_INVALID",
  "errors": [
    {
      "code": 15502,
      "message": "invoice_currency must be an ISO 4217 currency code such as EUR.",
      "remarks": "/invoice_currency"
    }
  ],
  "request_id": "req_5f3a9c1b0e7d-1"
}
\`\`\`

\`message\` is the operation and the reason in capitals. \`remarks\` is the field as a JSON pointer (RFC 6901), or empty.
\`request_id\` identifies the request in [the log of requests](../guides/api-keys.md#find-a-failed-call), as does the header \`X-Request-Id\`. With
\`Accept: application/problem+json\`, the answer is a problem document (RFC 9457), whose \`type\` is a URL on your server:
\`/docs/errors#<reason>\`.

${table(['HTTP', 'Code', 'Reason', 'Meaning', 'What to do'], rows)}`;
}
