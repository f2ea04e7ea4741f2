/** Visible characters, spaces and tabs: nothing that ends a line and begins a header of its own. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Whether a text can stand in an HTTP header as its value. */
export function isHeaderValue(text: string): boolean {
  return VALUE.test(text);
}

/** Whether a text is a token of HTTP, as names of headers and of authentication schemes are. */
export function isHttpToken(text: string): boolean {
  return NAME.test(text);
}
