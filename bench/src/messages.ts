/** The revision that the benchmark speaks. */
export const revision = '2026-07-28';

/** A request as JSON text, with `%ID%` in the place of its id. */
export function requestText(method: string, params: object): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const text = JSON.stringify({ jsonrpc: '2.0', id: '%ID%', method, params: { ...params, _meta: meta } });
  return text.replace('"%ID%"', '%ID%');
}

/** The headers that go with it over HTTP. */
export function requestHeaders(method: string, name?: string): { readonly [header: string]: string } {
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}
