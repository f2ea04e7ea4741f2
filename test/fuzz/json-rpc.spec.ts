import { checkJsonRpc } from './checks.js';
import { describeFuzz } from './describe-fuzz.js';
import { jsonRpcRequest } from './json-rpc-requests.js';

describeFuzz('malformed JSON-RPC', {
  base: '/a2a/jsonrpc',
  request: jsonRpcRequest,
  check: checkJsonRpc,
  expected: [
    'JSON_PARSE',
    'INVALID_REQUEST',
    'METHOD_NOT_FOUND',
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
    'notification',
    'success',
    'stream',
  ],
});
