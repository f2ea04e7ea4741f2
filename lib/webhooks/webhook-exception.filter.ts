import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';
import { setErrorHeaders } from '../http/error-headers.js';
import { logInternal } from '../http/error-log.js';
import { toA2AError } from '../http/exception-to-error.js';
import { httpExchange } from '../http/http-exchange.js';
import { restError } from '../http/rest-error.js';

/** Tells the sender of a notification why it was not taken, in the shape that HTTP+JSON has for errors. */
@Catch()
export class WebhookExceptionFilter implements ExceptionFilter {
  readonly #logger = new Logger('A2AWebhookModule');

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const { headers } = http.getRequest<{ headers: IncomingHttpHeaders }>();
    const exchange = httpExchange(http.getResponse());
    const error = toA2AError(exception);
    logInternal(error);
    if (error.reason === 'UNAUTHENTICATED' || error.reason === 'PERMISSION_DENIED')
      this.#logger.warn(`A notification was refused: ${error.message}`);
    if (exchange.answered) return;
    setErrorHeaders(exchange, error, () => ['Bearer realm="a2a"']);
    exchange.answer(restError(error, headers));
  }
}
