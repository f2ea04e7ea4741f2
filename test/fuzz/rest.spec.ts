import { checkRest } from './checks.js';
import { describeFuzz } from './describe-fuzz.js';
import { restRequest } from './rest-requests.js';

describeFuzz('malformed HTTP+JSON', {
  base: '/a2a/rest',
  request: restRequest,
  check: checkRest,
  expected: [
    'JSON_PARSE',
    'INVALID_PARAMS',
    'METHOD_NOT_ALLOWED',
    'ROUTE_NOT_FOUND',
    'PAYLOAD_TOO_LARGE',
    'CONTENT_TYPE_NOT_SUPPORTED',
    'VERSION_NOT_SUPPORTED',
    'UNAUTHENTICATED',
    'TASK_NOT_FOUND',
    'TASK_NOT_CANCELABLE',
    'UNSUPPORTED_OPERATION',
    'success',
    'stream',
  ],
});
