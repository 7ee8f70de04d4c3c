const SIGN_IN = /sign[\s-]?in|log[\s-]?in|single sign|\bsso\b|\bsaml\b/i;
/** What a page asks of a person, wherever it stands in it. */
const ASKS_PERSON = /type=["']?password|captcha|are you (?:a )?human|just a moment/i;
const PROXY = /nginx|cloudflare|openresty|apache|haproxy|traefik|varnish|squid|envoy|cloudfront|akamai|caddy/i;
const GATEWAY_TROUBLE = /bad gateway|gateway time-?out|service (?:temporarily )?unavailable/i;
/** The statuses of who stands before a server; 520 to 527 are those of one of them. */
const isGatewayStatus = (status: number): boolean =>
  (status >= 502 && status <= 504) || (status >= 520 && status <= 527);
const HEADLINE = /<(title|h1)\b[^>]{0,200}>([^<]{0,300})/gi;
const MAX_HEADLINES = 4;

/** What came in the place of JSON. */
export interface HtmlPage {
  readonly text: string;
  readonly status: number;
  /** The header `Server`. */
  readonly server?: string | undefined;
}

/**
 * Answers what a page means that came in the place of JSON, and what to do: by its status, what it is headed with, and
 * the header `Server`. What its text speaks of is no sign, since any page may speak of anything.
 */
export function describeHtml({ text, status, server = '' }: HtmlPage): { readonly saw: string; readonly fix: string } {
  const head = headlinesOf(text);
  if (SIGN_IN.test(head) || ASKS_PERSON.test(text)) {
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
  const isError = status >= 400;
  if (isGatewayStatus(status) || GATEWAY_TROUBLE.test(head) || (isError && PROXY.test(`${head} ${server}`))) {
    return {
      saw: 'The error page of a proxy answers in the place of the server.',
      fix: 'Look whether the server behind the proxy runs, and whether the proxy has its right address.',
    };
  }
  if (status === 501) {
    return {
      saw: 'A web server that takes no POST answers in the place of an MCP endpoint.',
      fix: 'Give the URL of the MCP endpoint, which often ends in /mcp; another service may have this port.',
    };
  }
  if (status >= 500) {
    return {
      saw: `It fails with HTTP ${status}, and shows a page of its own.`,
      fix: 'Look at the log of the server, and whether this is the URL of its MCP endpoint.',
    };
  }
  return {
    saw: 'A web page answers in the place of an MCP endpoint.',
    fix:
      'Give the URL of the MCP endpoint, which often ends in /mcp, and look whether a proxy sends the path ' +
      'elsewhere.',
  };
}

function headlinesOf(text: string): string {
  return [...text.matchAll(HEADLINE)]
    .slice(0, MAX_HEADLINES)
    .map(([, , words = '']) => words)
    .join(' ');
}
