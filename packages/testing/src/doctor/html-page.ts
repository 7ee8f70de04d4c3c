const SIGN_IN =
  /sign[\s-]?in|log[\s-]?in|type=["']?password|single sign|\bsso\b|\bsaml\b|captcha|are you (?:a )?human|just a moment/i;
const PROXY =
  /bad gateway|gateway time-?out|service (?:temporarily )?unavailable|nginx|cloudflare|openresty|apache|haproxy|traefik|varnish|squid|envoy|cloudfront|akamai/i;

/** Answers what a page means that came in the place of JSON, and what to do. */
export function describeHtml(text: string, status: number): { readonly saw: string; readonly fix: string } {
  if (SIGN_IN.test(text)) {
    return {
      saw: 'A page to sign in on answers in the place of the server.',
      fix:
        'Something before the server wants a browser session: have it let the MCP path through to the server, ' +
        'or reach the server past it.',
    };
  }
  if (status === 403) {
    return {
      saw: 'A firewall or a proxy refuses the request with a page of its own.',
      fix: 'Have it let MCP clients through to this path: they are programs and show no browser.',
    };
  }
  if (status >= 500 || PROXY.test(text)) {
    return {
      saw: 'The error page of a proxy answers in the place of the server.',
      fix: 'Look whether the server behind the proxy runs, and whether the proxy has its right address.',
    };
  }
  return {
    saw: 'A web page answers in the place of an MCP endpoint.',
    fix:
      'Give the URL of the MCP endpoint, which often ends in /mcp, and look whether a proxy sends the path ' +
      'elsewhere.',
  };
}
